"""Results: everything that a run, or somebody's table of outcomes, says."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from memtrial.analysis.result import Estimate, Hypothesis
from memtrial.ledger.accounts import Answering
from memtrial.ledger.run_plan import LeakCount
from memtrial.protocol.monitoring_rows import AdviceRow, LockState, Monitoring
from memtrial.result_record import ResultRecord
from memtrial.views.rows import evidence_rows, play_rows
from memtrial.views.rows.ablation_results import Ablation
from memtrial.views.rows.cost_rows import ConditionCost
from memtrial.views.rows.factor_rows import FactorRow
from memtrial.views.rows.failure_rows import FailureModes
from memtrial.views.rows.group_rows import GroupRow, SpreadRow

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from IPython.lib.pretty import RepresentationPrinter

    from memtrial.reports.render.notebook import NotebookFigure, NotebookTable

Status = Literal["confirmatory", "exploratory"]


class TableAbout(ResultRecord):
    """What was taken for what in somebody's table."""

    reference: str | None
    """The table's own name of the arm that the others are held against; None without one."""
    conditioned: bool
    """The table says what was done to the memory; else arms are compared, and memory is not spoken of."""
    said: dict[str, str]


class Results(ResultRecord):
    """What `results.json` holds. Of a table, what is not known of it is None or empty."""

    version: Literal[1] = 1
    name: str
    """The spec's name, or the table's."""
    question: str
    seed: int
    simulated: bool
    """Participants were scripts: the results calibrate the instrument and say nothing of language models."""
    control: str
    """Whose native prompts the control runs."""
    cue: str = ""
    """Whose line stands above the items."""
    world: str = ""
    outcome: str
    status: Status
    backbones: tuple[str, ...]
    """In the order of the plan."""
    arms: tuple[str, ...]
    """In the order of the plan, `none` first."""
    conditions: tuple[str, ...]
    """Kinds of damage, in the order of the plan."""
    tasks: int
    repeats: int
    margin: float
    """Points of score: a smaller effect counts as none."""
    alpha: float
    """Error rate of a family of tests."""
    cluster: str
    """The unit of inference."""
    effects: dict[str, str]
    """What each perturbation is there for, by condition."""
    table: TableAbout | None = None
    verdicts: dict[str, dict[str, dict[str, str]]]
    """Of drops: {backbone: {arm: {condition: word}}}."""
    utility: dict[str, dict[str, str]]
    """{backbone: {arm: word}}."""
    hypotheses: tuple[Hypothesis, ...]
    estimates: tuple[Estimate, ...]
    lock: LockState | None = None
    multiplicity: evidence_rows.Multiplicity | None = None
    monitoring: Monitoring | None = None
    differences: tuple[evidence_rows.DifferenceRow, ...] = ()
    sensitivity: tuple[evidence_rows.SensitivityRow, ...] = ()
    task_families: tuple[GroupRow, ...] = ()
    items: tuple[GroupRow, ...] = ()
    """Utilities and drops where the slot held an item: what else stood in it counts too."""
    heterogeneity: tuple[SpreadRow, ...] = ()
    """Whether utilities and drops differ between families of tasks, and between items."""
    banks: tuple[evidence_rows.BankRow, ...] = ()
    divergence: tuple[evidence_rows.DivergenceRow, ...] = ()
    judged: evidence_rows.JudgeAudit | None = None
    """None where the world itself says what a success is."""
    failure_modes: FailureModes | None = None
    """None where nobody has coded failures."""
    cells: tuple[play_rows.CellRow, ...] = ()
    errors: dict[str, int]
    """Errors of the infrastructure by arm; they are in no mean."""
    attrition: dict[str, play_rows.Attrition]
    agent_failures: dict[str, dict[str, dict[str, int]]]
    """Failures of the agent by arm, condition and cause; they count as failures."""
    delivery: play_rows.Delivery | None = None
    untrusted: play_rows.Untrusted | None = None
    empty_slots: dict[str, float]
    """By arm: share of its intact trials without an item to show."""
    manipulation: tuple[play_rows.ManipulationRow, ...] = ()
    decision: tuple[AdviceRow, ...] = ()
    firings: tuple[play_rows.FiringRow, ...] = ()
    funnel: tuple[evidence_rows.FunnelRow, ...] = ()
    per_exposure: tuple[evidence_rows.ExposedRow, ...] = ()
    audit: tuple[evidence_rows.AuditRow, ...] = ()
    leakage: str = ""
    """What was done about memories that knew a test task: refuse, count, or empty where nobody looked."""
    leaks: tuple[LeakCount, ...] = ()
    condensation: tuple[play_rows.CondenserRow, ...] = ()
    strains: tuple[play_rows.StrainRow, ...] = ()
    people: tuple[play_rows.PeopleRow, ...] = ()
    making: tuple[play_rows.MakingRow, ...] = ()
    gates: dict[str, str] = Field(default_factory=dict)
    """By gate: whether its judge blocks or only advises, and why."""
    contrasts_say: tuple[str, ...] = ()
    """Sentences: by which factors the two arms of a contrast differ."""
    factors: tuple[FactorRow, ...] = ()
    """Main effects of the factors of the arms, where arms cross them."""
    uncrossed: tuple[str, ...] = ()
    """Sentences: which arms are missing where factors are not crossed."""
    forks: tuple[str, ...] = ()
    """Sentences: what verdicts mean for an open fork of the design."""
    ablation: Ablation | None = None
    """None of a run that switches no gates."""
    shared_cells: tuple[str, ...] = ()
    """Sentences: which cells answered from the same prompts."""
    notes: tuple[str, ...]
    """What holds for the run as a whole, the worst first."""
    cost: dict[str, play_rows.Cost]
    cost_ratios: tuple[ConditionCost, ...] = ()
    """What a trial of each condition used, and how many times as much the intact memory does, by task."""
    preparation: tuple[play_rows.PreparationCost, ...] = ()
    models: tuple[Answering, ...] = ()
    digests: dict[str, str]
    """sha256 of every text, file and memory that determines what was sent."""
    reproduce: tuple[str, ...]

    def to_polars(self) -> pl.DataFrame:
        """The estimates, a row an estimate; the codes of caveats are joined by commas.

        Columns and their types are the same for all results, whatever is known of them.
        """
        import polars as pl

        types = {"float | None": pl.Float64, "int": pl.Int64, "int | None": pl.Int64}
        declared = {field.name: str(field.type) for field in fields(Estimate)}
        columns = self.estimate_columns()
        return pl.DataFrame(columns, schema={name: types.get(declared[name], pl.String) for name in columns})

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.estimate_columns())

    def estimate_columns(self) -> dict[str, list[float | str | None]]:
        """The estimates by column: every field of an estimate but the values in its sentence."""
        names = [field.name for field in fields(Estimate) if field.name not in ("because", "caveats")]
        columns = {name: [getattr(row, name) for row in self.estimates] for name in names}
        return columns | {"caveats": [", ".join(row.caveats) for row in self.estimates]}

    def __str__(self) -> str:
        """What the terminal shows, as plain text."""
        from memtrial.reports.render.terminal import plain_text

        return plain_text(self)

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        """The same at the prompt of IPython, and in a notebook that shows no HTML."""
        printer.text("…" if cycle else str(self))

    def figure(self, name: str = "forest") -> NotebookFigure:
        """A figure of the report, drawn in a notebook: `forest`, or utility, drop, plane and those that
        `report --figures` writes. ValueError where there is none of that name, with those that there are."""
        from memtrial.reports.render.notebook import notebook_figure

        return notebook_figure(self, name)

    def tabulate(self, name: str = "verdicts") -> NotebookTable:
        """A table as `report --latex` has it, shown in a notebook. ValueError as of `figure`."""
        from memtrial.reports.render.notebook import notebook_table

        return notebook_table(self, name)

    def _repr_html_(self) -> str:
        """What a run says, the verdicts arm by condition, and a figure."""
        from memtrial.reports.render.notebook import notebook_html

        return notebook_html(self)

    def json_text(self) -> str:
        """The text of `results.json`: the same results give the same bytes."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"
