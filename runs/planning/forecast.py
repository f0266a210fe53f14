"""The forecast of a run: cells, counts, cost and power of a spec, before anything is spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from math import isfinite

from loadbearing.analysis.planning.pilot_variance import Piloted
from loadbearing.analysis.planning.power import best_repeats
from loadbearing.arms.arm import NONE, Arm
from loadbearing.reports.figures.power_curve import CurvePoint
from loadbearing.runs.planning.allocation import (
    Allocation,
    Budget,
    Cost,
    Decision,
    allocations,
    budgets,
    decisions,
)
from loadbearing.runs.planning.cost import NOTHING, Range
from loadbearing.runs.planning.pilot import Pilot
from loadbearing.runs.planning.power_table import PowerRow, Size, curve_of, power_row
from loadbearing.runs.planning.questions import questions_of
from loadbearing.runs.planning.usage import deciding, episode_usd, preparation
from loadbearing.runs.planning.wanted import Wanted
from loadbearing.runs.planning.world_sample import WorldSample, sample_world
from loadbearing.runs.setup.preflight import Experiment

CALLS = (
    "at most: every turn, and every action withheld once where items enter by trigger; collecting and"
    " condensing come on top"
)
BY_PROMPTS = "from rendered prompts: low is the shortest way through each task, high is every turn"
BY_PILOT = "from the pilot's trials: likely is their mean, low and high two standard errors away"


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell of a block."""

    backbone: str
    arm: str
    condition: str


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest effect that one test by itself detects with the wanted power; None: none."""

    drop: float | None
    contrast: float | None


@dataclass(frozen=True, slots=True)
class EffectiveTasks:
    """Independent tasks that tell as much as the planned ones about an estimand.

    Args:
        tasks, clusters: of the plan.
        unit: that the tasks of a cluster share: task (each is independent), record or family.
        how: the clusters are known.
    """

    tasks: int
    clusters: int
    unit: str
    utility: float
    drop: float
    contrast: float
    how: str


@dataclass(frozen=True, slots=True)
class Prices:
    """The price table that costs are forecast by, and the models that it does not know."""

    date: str
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Power:
    """What the plan can show.

    Args:
        effect, power: wanted.
        margin: of equivalence.
        parts_are: where the variance parts come from.
        base: mean score of the intact cells.
        piloted: the contrasts of the pilot behind the parts.
    """

    effect: float
    power: float
    alpha: float
    margin: float
    parts_are: str
    base: float
    rows: tuple[PowerRow, ...]
    piloted: tuple[Piloted, ...]

    def row(self, estimand: str) -> PowerRow:
        """The row of one estimand."""
        return next(row for row in self.rows if row.estimand == estimand)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a spec comes to.

    Args:
        primary: the estimand that the answer is about: contrast, or drop where no arms are compared.
        draws: banks of each condenser that asks a model.
        calls: at most; `calls_are` says of what.
        cost_usd: of all trials, by arm.
        usd: what any size would cost; None where a price is not known.
        allocation: tasks that the wanted contrast takes, by repeats.
        best_repeats: that buy the most precision for the money, at least 1.
        budget: what was asked about a budget.
        curve: power of a contrast in its family, by repeats and tasks.
    """

    name: str
    simulated: bool
    control: str
    cue: str
    mode: str
    primary: str
    cells: tuple[PlannedCell, ...]
    tasks: int
    repeats: int
    draws: int
    episodes: int
    training_tasks: int
    calls: int
    calls_are: str
    cost_usd: Mapping[str, Range]
    preparation_usd: Range
    total_usd: Range
    cost_is: str
    prices: Prices
    usd: Cost | None
    detectable: Detectable
    detectable_is: str
    effective_n: EffectiveTasks
    power: Power
    allocation: tuple[Allocation, ...]
    best_repeats: float | None
    budget: tuple[Budget, ...]
    per_decision_usd: Mapping[str, Decision]
    curve: tuple[CurvePoint, ...]

    def _repr_html_(self) -> str:
        """What the terminal shows."""
        from loadbearing.runs.planning.forecast_text import forecast_lines

        return f"<pre>{escape(chr(10).join(forecast_lines(self, details=True)))}</pre>"

    def as_json(self) -> dict[str, object]:
        """The forecast with plain values, rounded."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def forecast_of(experiment: Experiment, pilot: Pilot | None = None, wanted: Wanted = Wanted()) -> Forecast:
    """Cells, counts, what they may cost, and what they can show.

    Raises:
        SpecFault: a budget without costs, or a pilot whose outcomes cannot be read.
        RunFault: the world broke.
    """
    spec, design, prices = experiment.spec, experiment.design, experiment.prices
    seen = sample_world(experiment)
    clusters, n, repeats, rules = seen.clusters.clusters, seen.n_test, spec.repeats, spec.analysis
    cells = tuple(
        PlannedCell(backbone, arm, condition) for backbone in spec.backbone for arm, condition in design.cells
    )
    by_trigger = {arm.name for arm in design.arms if arm.injection.watches}
    blocks, played = n * repeats, Counter(cell.arm for cell in cells)
    cost = {
        NONE if arm is None else arm.name: _cost(experiment, pilot, arm, seen, blocks)
        for arm in (None, *design.arms)
    }
    measured = None if pilot is None else pilot.preparation(experiment, seen.n_train, n)
    before = (measured or preparation(experiment, seen)) + deciding(experiment, seen)
    trials, usd = sum(cost.values(), NOTHING), None
    if trials.likely is not None and before.likely is not None:
        usd = Cost(trials.likely / blocks, wanted.task_usd, before.likely)
    each = {arm: one.times(1 / (blocks * played[arm])).likely for arm, one in cost.items()}
    asked, size = questions_of(experiment, pilot), Size(clusters, repeats)
    contrast, primary = asked.questions["contrast"], "contrast" if design.pairs else "drop"
    rows = {
        name: power_row(name, asked, wanted, size, spec.seed, name == primary) for name in asked.questions
    }
    worth = {name: clusters.effective(row.parts.icc(repeats)) for name, row in rows.items()}
    return Forecast(
        name=spec.name,
        simulated=experiment.simulated,
        control=experiment.control.label,
        cue=experiment.cue.label,
        mode=spec.mode,
        primary=primary,
        cells=cells,
        tasks=n,
        repeats=repeats,
        draws=design.draws,
        episodes=len(cells) * blocks,
        training_tasks=seen.n_train,
        # an action that a Trigger speaks of is withheld, and the agent asked once more
        calls=sum(1 + (cell.arm in by_trigger) for cell in cells) * seen.most_turns * repeats,
        calls_are=CALLS,
        cost_usd=cost,
        preparation_usd=before,
        total_usd=trials + before,
        cost_is=BY_PROMPTS if pilot is None else BY_PILOT,
        prices=Prices(prices.date, tuple(one for one in experiment.models if prices.of(one) is None)),
        usd=usd,
        detectable=Detectable(rows["drop"].detectable_alone, rows["contrast"].detectable_alone),
        detectable_is=f"with power {wanted.power:g} at alpha {rules.alpha:g}, one test by itself;"
        f" variance parts {asked.source}",
        effective_n=EffectiveTasks(
            n, clusters.n_clusters, seen.clusters.unit, **worth, how=seen.clusters.how
        ),
        power=Power(
            effect=wanted.effect,
            power=wanted.power,
            alpha=rules.alpha,
            margin=rules.margin,
            parts_are=asked.source,
            base=asked.base,
            rows=tuple(rows.values()),
            piloted=asked.piloted,
        ),
        allocation=allocations(contrast, wanted, len(cells), usd),
        best_repeats=None if usd is None else best_repeats(contrast.parts, usd.task, usd.block),
        budget=budgets(contrast, wanted, len(cells), usd),
        per_decision_usd=decisions(
            {name: row.tasks for name, row in rows.items()}, repeats, each, design.pairs
        ),
        curve=curve_of(asked, wanted, size),
    )


def _cost(experiment: Experiment, pilot: Pilot | None, arm: Arm | None, seen: WorldSample, n: int) -> Range:
    """What all trials of one arm cost, over backbones; None stands for no memory."""
    name, whole = NONE if arm is None else arm.name, NOTHING
    cells = sum(cell[0] == name for cell in experiment.design.cells)
    for backbone in experiment.spec.backbone:
        measured = None if pilot is None else pilot.of(name, backbone, experiment)
        whole += (measured or episode_usd(experiment, backbone, arm, seen)).times(cells * n)
    return whole


def _plain(value: object) -> object:
    """Numbers to a hundredth of a cent; sequences and mappings likewise, all through."""
    if isinstance(value, float):
        return round(value, 4) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
