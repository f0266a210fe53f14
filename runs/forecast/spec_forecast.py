"""The forecast of a run: cells, counts, cost and power of a spec, before anything is spent."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from math import floor, isfinite

from memtrial.analysis.planning.power import Question, best_repeats
from memtrial.analysis.planning.variance import Piloted
from memtrial.analysis.verdicts.undecidable import OpenCell, find_open_cells
from memtrial.arms.arm import NONE, Arm
from memtrial.faults import SpecFault
from memtrial.models.providers.provider_table import is_own_server
from memtrial.outcomes.reserved_names import PLACEBO
from memtrial.reports.figures.power_curve import CurvePoint
from memtrial.runs.forecast.applicable_damage import unplayed_lines
from memtrial.runs.forecast.cost_forecast import (
    NOTHING,
    Pilot,
    Range,
    cost_decisions,
    cost_grades,
    episode_usd,
    preparation,
)
from memtrial.runs.forecast.counter_share import CounterShare
from memtrial.runs.forecast.damage_cost import cost_written_damage
from memtrial.runs.forecast.planned_comparisons import PlannedComparisons, planned_comparisons
from memtrial.runs.forecast.power_table import PlanOptions, PowerRow, power_table
from memtrial.runs.forecast.table_pilot import TablePilot
from memtrial.runs.forecast.world_sample import WorldSample, sample_world
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.damage_writers import damage_writers
from memtrial.runs.trials.plan_facts import makeup_of
from memtrial.views.rows.evidence_rows import AuditRow

REPEATS = (1, 2, 3, 5, 8, 10)
"""Numbers of repeats that are weighed against tasks."""
BY_PROMPTS = "from rendered prompts: low is the shortest way through each task, high is every turn"
BY_PILOT = "trials from the pilot's: likely is their mean, low and high two standard errors away"


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell of a block."""

    backbone: str
    arm: str
    condition: str


@dataclass(frozen=True, slots=True)
class SizeCost:
    """US dollars of any size: `fixed` (preparation) + tasks x (`task` + repeats x `block`)."""

    block: float
    task: float
    fixed: float

    def of(self, tasks: int, repeats: int) -> float:
        return self.fixed + tasks * (self.task + repeats * self.block)


@dataclass(frozen=True, slots=True)
class Budget:
    """The smallest contrast that so many US dollars can show, and with which size; None: none at all."""

    usd: float
    tasks: int
    repeats: int
    detectable: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a spec comes to.

    Args:
        primary: the estimand that the answer is about: contrast, or drop where no arms are compared.
        draws: banks of each condenser that asks a model.
        damage_usd: what of the preparation a model writes of the damage and another reads.
        damage_note: who does; empty where rules write and a model could not.
        calls: at most; collecting and condensing come on top.
        unpriced: models without a known price; `own_servers` are those of them that bill no tokens.
        usd: what any size would cost; None where a price is not known.
        cluster_unit: that the tasks of a cluster share: task (each is independent), record or family.
        clusters_how: they are known.
        detectable: the smallest drop and contrast that one test by itself detects; None: none.
        piloted: the contrasts of the pilot behind the variance parts.
        allocation: tasks that the wanted contrast takes, by repeats, if no two share a cluster; None: no
            number is enough.
        best_repeats: that buy the most precision for the money, at least 1.
        decision_usd: by arm, the cells of a contrast (of a drop, where the arm has no control) at the tasks
            that the wanted effect takes.
        curve: power of a contrast in its family, by repeats and tasks.
        audit: in what the first requests of two arms differ, as far as they can be rendered.
        counters: to how many of a few slots of each arm `counter` applies.
        unplayed: a sentence on each damage that fits a memory in no task.
        open_cells: drops and contrasts that this design cannot call load-bearing, and what would change it.
    """

    name: str
    simulated: bool
    control: str
    cue: str
    primary: str
    cells: tuple[PlannedCell, ...]
    compared: PlannedComparisons
    condensers: Mapping[str, str]
    tasks: int
    repeats: int
    draws: int
    episodes: int
    training_tasks: int
    calls: int
    cost_usd: Mapping[str, Range]
    preparation_usd: Range
    damage_usd: Range
    damage_note: str
    total_usd: Range
    cost_is: str
    prices_of: str
    unpriced: tuple[str, ...]
    own_servers: tuple[str, ...]
    usd: SizeCost | None
    clusters: int
    cluster_unit: str
    clusters_how: str
    detectable: Mapping[str, float | None]
    detectable_is: str
    effect: float
    power: float
    margin: float
    variance: str
    estimands: Mapping[str, PowerRow]
    piloted: tuple[Piloted, ...]
    allocation: Mapping[int, int | None]
    best_repeats: float | None
    budget: Budget | None
    decision_usd: Mapping[str, float | None]
    curve: tuple[CurvePoint, ...]
    audit: tuple[AuditRow, ...] = ()
    open_cells: tuple[OpenCell, ...] = ()
    counters: tuple[CounterShare, ...] = ()
    unplayed: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """What the terminal shows."""
        from memtrial.runs.forecast.forecast_text import forecast_lines

        return f"<pre>{escape(chr(10).join(forecast_lines(self, details=True)))}</pre>"

    def as_json(self) -> dict[str, object]:
        """The forecast with plain values, rounded."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def forecast_of(
    experiment: Experiment, pilot: Pilot | TablePilot | None = None, wanted: PlanOptions = PlanOptions()
) -> Forecast:
    """Cells, counts, what they may cost, and what they can show.

    Raises:
        SpecFault: a budget without costs, or a pilot whose outcomes cannot be read.
        RunFault: the world broke.
    """
    spec, design, prices = experiment.spec, experiment.design, experiment.prices
    seen = sample_world(experiment)
    n, repeats, blocks = seen.n_test, spec.repeats, seen.n_test * spec.repeats
    cells = tuple(
        PlannedCell(backbone, arm, condition) for backbone in spec.backbone for arm, condition in design.cells
    )
    by_trigger = {arm.name for arm in design.arms if arm.injection.by_trigger}
    arms = {NONE: None, **{arm.name: arm for arm in design.arms}}
    in_block = Counter(arm for arm, _ in design.cells)
    each = {name: _trial_usd(experiment, pilot, name, arm, seen) for name, arm in arms.items()}
    cost = {name: usd.times(in_block[name] * blocks) for name, usd in each.items()}
    writing = cost_written_damage(experiment, seen)
    before = preparation(experiment, seen) + cost_decisions(experiment, seen) + writing
    trials, usd = sum(cost.values(), NOTHING), None
    if trials.likely is not None and before.likely is not None:
        usd = SizeCost(trials.likely / blocks, wanted.task_usd, before.likely)
    table = power_table(experiment, pilot, wanted, seen.clusters)
    contrast, primary = table.questions["contrast"], "contrast" if design.pairs else "drop"
    rows = {name: table.row(name) for name in table.questions}
    makeups = {name: makeup_of(experiment, name) for name in design.memories}
    return Forecast(
        name=spec.name,
        simulated=experiment.simulated,
        control=experiment.control_label,
        cue=experiment.cue.label,
        primary=primary,
        cells=cells,
        compared=planned_comparisons(design, makeups),
        condensers={name: made.line for name, made in makeups.items()},
        tasks=n,
        repeats=repeats,
        draws=design.draws,
        episodes=len(cells) * blocks,
        training_tasks=seen.n_train,
        # an action that a Trigger speaks of is withheld, and the agent asked once more
        calls=sum(1 + (cell.arm in by_trigger) for cell in cells) * seen.most_turns * repeats,
        cost_usd=cost,
        preparation_usd=before,
        damage_usd=writing,
        damage_note=damage_writers(spec).note,
        total_usd=trials + before,
        cost_is=BY_PILOT if isinstance(pilot, Pilot) else BY_PROMPTS,
        prices_of=prices.date,
        unpriced=(unpriced := tuple(model for model in experiment.models if prices.of(model) is None)),
        own_servers=tuple(model for model in unpriced if is_own_server(model, experiment.keys)),
        usd=usd,
        clusters=seen.clusters.n_clusters,
        cluster_unit=seen.unit,
        clusters_how=seen.how,
        detectable={name: rows[name].detectable_alone for name in ("drop", "contrast")},
        detectable_is=f"with power {wanted.power:g} at alpha {spec.analysis.alpha:g}, one test by itself;"
        f" variance parts {table.variance}",
        effect=wanted.effect,
        power=wanted.power,
        margin=spec.analysis.margin,
        variance=table.variance,
        estimands=rows,
        piloted=table.piloted,
        allocation={
            number: contrast.in_family(number).tasks(wanted.effect, wanted.power) for number in REPEATS
        },
        best_repeats=None if usd is None else best_repeats(contrast.parts, usd.task, usd.block),
        budget=_best_budget(contrast, wanted, usd),
        decision_usd=_decisions(each, rows, design.pairs, repeats / len(spec.backbone)),
        curve=table.curve(),
        audit=seen.audit,
        open_cells=_open_cells(experiment),
        counters=seen.counters,
        unplayed=tuple(unplayed_lines(experiment)),
    )


def _open_cells(experiment: Experiment) -> tuple[OpenCell, ...]:
    """By the design alone: what the damage fits is known once memories are made."""
    spec, design = experiment.spec, experiment.design
    raw = {
        arm.name
        for arm in design.arms
        if arm.memory in spec.condensers and spec.condensers[arm.memory].kind == "raw"
    }
    return find_open_cells(design.cells, design.pairs, silent=raw, placebo=PLACEBO)


def _trial_usd(
    experiment: Experiment, pilot: Pilot | TablePilot | None, name: str, arm: Arm | None, seen: WorldSample
) -> Range:
    """What one trial of an arm costs with each backbone, all together; None stands for no memory."""
    whole = NOTHING
    for backbone in experiment.spec.backbone:
        measured = None if pilot is None else pilot.trial_usd(name, backbone, experiment.prices)
        whole += measured or episode_usd(experiment, backbone, arm, seen) + cost_grades(experiment, seen)
    return whole


def _decisions(
    each: Mapping[str, Range], rows: Mapping[str, PowerRow], pairs: tuple[tuple[str, str], ...], times: float
) -> dict[str, float | None]:
    """By arm, the cells of a contrast, or of a drop where it has no control, at the tasks needed."""
    control, costs = dict(pairs), dict[str, float | None]()
    for arm in [name for name in each if name != NONE]:
        compared = (arm, control[arm]) if arm in control else (arm,)
        n = rows["contrast" if arm in control else "drop"].tasks
        usd = sum((each[name].times(2) for name in compared), NOTHING).likely
        costs[arm] = None if n is None or usd is None else n * times * usd
    return costs


def _best_budget(question: Question, wanted: PlanOptions, usd: SizeCost | None) -> Budget | None:
    """The best that the wanted budget can show; None where none is asked about, SpecFault without known
    costs."""
    if wanted.budget_usd is None:
        return None
    if usd is None or not usd.block + usd.task > 0:
        why = "no price is known for some model" if usd is None else "nothing of this plan costs anything"
        raise SpecFault(f"--budget needs costs above 0, and {why}; give budget.prices")
    best = Budget(wanted.budget_usd, 0, 1, None)
    for repeats in REPEATS:
        n = max(0, floor((wanted.budget_usd - usd.fixed) / (usd.task + repeats * usd.block) + 1e-9))
        least = question.in_family(repeats).detectable(n, wanted.power) if n else None
        if least is not None and (best.detectable is None or least <= best.detectable):
            best = Budget(wanted.budget_usd, n, repeats, least)
    return best


def _plain(value: object) -> object:
    """Numbers to a hundredth of a cent; sequences and mappings likewise, all through."""
    if isinstance(value, float):
        return round(value, 4) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
