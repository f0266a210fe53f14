"""The whole analysis on anyone's table of outcomes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.arms.arm import PAIRS
from loadbearing.outcomes.count_words import listed
from loadbearing.outcomes.files import read_sheet
from loadbearing.outcomes.outcome_table import OutcomeTable, TableOptions, shape
from loadbearing.outcomes.reserved_names import ORACLE
from loadbearing.perturbations.members import ALL
from loadbearing.reports.model.results import Results
from loadbearing.reports.results.table_results import About, table_results
from loadbearing.runs.errors import SpecFault

if TYPE_CHECKING:
    import polars as pl

    from loadbearing.outcomes.sheet import PandasFrame

FRAME = "a frame"


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """What the user asked of the analysis.

    Args:
        pairs: `TREATMENT:CONTROL`, the arms whose drops are compared.
        primary: conditions whose contrasts are the hypotheses; empty: all.
        positive_control: an arm known to hold the answer; `oracle` unless given.
        reproduce: the command that stands in the report.
    """

    margin: float = 0.10
    alpha: float = 0.05
    flips: int = 9_999
    seed: int = 0
    pairs: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    positive_control: str | None = None
    question: str = ""
    reproduce: str = ""


def analyze(
    table: str | Path | pl.DataFrame | PandasFrame,
    options: TableOptions = TableOptions(),
    rules: AnalysisOptions = AnalysisOptions(),
    told: Callable[[OutcomeTable], object] | None = None,
) -> Results:
    """Analyse outcomes: paired, with intervals, equivalence and verdicts.

    Args:
        table: a file (CSV, TSV, Parquet, JSON lines), or a polars or pandas frame; one row a trial.
        options: what the columns are, where their names do not say it.
        rules: margin, error rate, and what is compared.
        told: gets the table as it was read, before anything is computed.

    Raises:
        SpecFault: an option is wrong.
        TableFault: the table cannot be read, or an option does not fit it.
    """
    shaped = shape(read_sheet(table), options)
    plan = plan_of(shaped, rules)
    if told is not None:
        told(shaped)
    return table_results(shaped.outcomes, plan, _about(table, shaped, rules))


def plan_of(shaped: OutcomeTable, rules: AnalysisOptions) -> AnalysisPlan:
    """What is compared in a table, and by which rules.

    Raises:
        SpecFault: a number is out of range, or a named arm or condition is not there.
    """
    if rules.seed < 0:
        raise SpecFault(f"--seed needs a whole number from 0 on, got {rules.seed}")
    pairs = tuple(_pair(text, shaped) for text in rules.pairs)
    if not rules.pairs and shaped.conditioned:
        standard = ((treatment.name, control.name) for treatment, control in PAIRS)
        pairs = tuple(pair for pair in standard if set(pair) <= set(shaped.arms))
    if rules.primary and not shaped.conditioned:
        raise SpecFault(
            "--primary names conditions whose contrasts are the hypotheses, and this table has no condition; "
            "leave it out"
        )
    for name in rules.primary:
        if name not in shaped.conditions:
            raise SpecFault(
                f"--primary {name}: there is no such condition; there are {listed(shaped.conditions)}"
            )
    known = rules.positive_control
    if known is not None and known not in shaped.arms:
        raise SpecFault(f"--positive-control {known}: there is no such arm; there are {listed(shaped.arms)}")
    cells = {cell for name in shaped.outcomes.backbones for cell in shaped.outcomes.cells(name).cells}
    try:
        return AnalysisPlan(
            arms=shaped.arms,
            conditions=shaped.conditions,
            pairs=pairs,
            primary=rules.primary,
            margin=rules.margin,
            alpha=rules.alpha,
            flips=rules.flips,
            seed=rules.seed,
            effects=tuple((kind.name, kind.effect) for kind in ALL if kind.name in shaped.conditions),
            positive_control=known if known is not None else ORACLE,
            cells=tuple(sorted(cells)),
        )
    except ValueError as fault:
        raise SpecFault(str(fault)) from fault


def _pair(text: str, shaped: OutcomeTable) -> tuple[str, str]:
    if not shaped.conditioned:
        raise SpecFault(
            "--pairs compares what damage costs two arms, and this table has no condition; "
            "--reference ARM says with which arm the others are compared"
        )
    # a name may hold colons of its own
    cuts = [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == ":"]
    found = [(one, other) for one, other in cuts if {one, other} <= set(shaped.arms) and one != other]
    if len(found) != 1:
        raise SpecFault(
            f"--pairs needs TREATMENT:CONTROL, two different arms of {listed(shaped.arms)}; got {text!r}"
        )
    return found[0]


def _about(
    table: str | Path | pl.DataFrame | PandasFrame, shaped: OutcomeTable, rules: AnalysisOptions
) -> About:
    said = dict(shaped.said)
    path = Path(table) if isinstance(table, str | Path) else None
    return About(
        name=FRAME if path is None else path.name,
        question=rules.question,
        outcome=said["score"],
        reference=shaped.reference,
        conditioned=shaped.conditioned,
        cluster=said["cluster"] if shaped.clustered else "task",
        simulated=shaped.simulated,
        said=shaped.said,
        notes=shaped.notes,
        digests={} if path is None else {path.name: _digest(path)},
        reproduce=(rules.reproduce,) if rules.reproduce else (),
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
