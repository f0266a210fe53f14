"""What a plan is asked for, and what it can show, by estimand: simulated, and in closed form."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from memtrial.analysis.hypothesis_families import HYPOTHESES, HypothesisFamily, families_of
from memtrial.analysis.planning.made_up_tasks import make_up, monte_carlo_error, no_room, simulated_power
from memtrial.analysis.planning.power import Question, weights_of
from memtrial.analysis.planning.variance import (
    ASSUMED_CONTRAST,
    ASSUMED_DROP,
    Clustering,
    Parts,
    Piloted,
    mean_parts,
    pilot_parts,
)
from memtrial.faults import SpecFault
from memtrial.ledger.random_streams import Stream, generator
from memtrial.outcomes.outcomes import Outcomes
from memtrial.outcomes.reserved_names import INTACT, ORACLE
from memtrial.reports.figures.power_curve import CurvePoint
from memtrial.runs.forecast.cost_forecast import Pilot
from memtrial.runs.forecast.table_pilot import TablePilot
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.option_values import settle
from memtrial.runs.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan is asked for.

    Args:
        effect: the smallest effect that matters, in points of score.
        power: chance of showing it.
        budget_usd: what may be spent; None: not asked.
        task_usd: what a further task costs besides its episodes.
        simulate: made-up experiments on which the real test is run. None: a thousand, and none where the
            design is large; 0: none, the closed form alone.
    """

    effect: float = 0.10
    power: float = 0.80
    budget_usd: float | None = None
    task_usd: float = 0.0
    simulate: int | None = None

    def __post_init__(self) -> None:
        settle(self)
        usd = 1 if self.budget_usd is None else self.budget_usd
        ranges = (
            ("--effect", self.effect, 0 < self.effect < 1, "a share of the score between 0 and 1"),
            ("--power", self.power, 0.5 <= self.power < 1, "a chance from 0.5 to below 1, as 0.8"),
            ("--budget", usd, 0 < usd < inf, "US dollars above 0"),
            ("--task-cost", self.task_usd, 0 <= self.task_usd < inf, "US dollars, 0 or more"),
            ("--simulate", self.simulate, 0 <= (self.simulate or 0) <= 100_000, "experiments, 0 to 100000"),
        )
        for option, got, fits, needed in ranges:
            if not fits:
                raise SpecFault(f"{option} takes {needed}; got {got!r}")


EXPERIMENTS = 1_000
"""Simulated where no number was asked for, which tells power to .016."""
MOST_SCORES = 10_000
"""Tasks x cells of one experiment beyond which nothing is simulated unasked: the formula serves there."""
CURVES, POINTS = (1, 3, 5), 12
BASE = 0.5
"""Mean score of the intact cells where no pilot tells it."""
ASSUMED = {"utility": ASSUMED_DROP, "drop": ASSUMED_DROP, "contrast": ASSUMED_CONTRAST}
FAMILIES = {
    "utility": HypothesisFamily("utilities", (("", utility("arm")),), Stream.UTILITIES),
    "drop": HypothesisFamily("drops", (("", drop("arm", "damage")),), Stream.DROPS),
    "contrast": HypothesisFamily(
        HYPOTHESES, (("", drops_apart("treatment", "control", "damage")),), Stream.HYPOTHESES
    ),
}
"""What is asked about by itself where the run has no family of this name."""


@dataclass(frozen=True, slots=True)
class PowerRow:
    """What the plan can show about one estimand; a number of tasks is None where none is enough.

    Args:
        family: contrasts that are tested together.
        effective_tasks: independent tasks that tell as much as the planned ones.
        power: for the wanted effect in its family, if this contrast alone has an effect: a lower bound.
        detectable: the smallest effect with the wanted power in its family, by the closed form.
        detectable_alone: the same for a test by itself.
        tasks: that the wanted effect takes by the closed form, if no two share a cluster.
        tasks_upper: the same at the upper 80 % limit of the pilot's variance; None without one.
        tasks_sharing: the same if they fall into the planned clusters.
        inert: chance that no effect is found to be none, to the margin.
        inert_tasks: that this takes for the wanted power, if no two share a cluster.
        experiments: made up, on which the real test told the power; 0: the closed form did.
        error: Monte Carlo standard error of a simulated power.
        no_room: why there cannot be such an effect; None where there can.
    """

    family: int
    parts: Parts
    effective_tasks: float
    power: float
    detectable: float | None
    detectable_alone: float | None
    tasks: int | None
    tasks_upper: int | None
    tasks_sharing: int | None
    inert: float
    inert_tasks: int | None
    experiments: int
    error: float
    no_room: str | None


@dataclass(frozen=True, slots=True)
class PowerTable:
    """The questions of a run by estimand, the contrasts behind their variance, and the mean intact score."""

    questions: Mapping[str, Question]
    piloted: tuple[Piloted, ...]
    variance: str
    base: float
    wanted: PlanOptions
    clusters: Clustering
    spec: Spec

    def row(self, name: str) -> PowerRow:
        """The row of one estimand."""
        question, effect, power = self.questions[name], self.wanted.effect, self.wanted.power
        n, repeats, margin = self.clusters.n_tasks, self.spec.repeats, self.spec.analysis.margin
        in_family, alone = question.in_family(repeats, self.clusters), question.alone(repeats, self.clusters)
        upper = question.cautious().in_family(repeats).tasks(effect, power) if question.pilot_units else None
        shown, room = in_family.power(effect, n), no_room(question, effect, self.base)
        asked = self.wanted.simulate
        # nothing that takes long is simulated unasked
        most = inf if asked is not None else MOST_SCORES / len(weights_of(question.family)[0])
        experiments = (EXPERIMENTS if asked is None else asked) * (room is None and 1 < n <= most)
        if experiments:
            rng = generator(self.spec.seed, Stream.POWER, *name.encode())
            made_up = make_up(question, effect, self.base, dense=question.grain == 0)
            shown = simulated_power(made_up, self.clusters, repeats, question.alpha, experiments, rng)
        return PowerRow(
            family=question.size,
            parts=question.parts,
            effective_tasks=self.clusters.effective(question.parts.icc(repeats)),
            power=shown,
            detectable=in_family.detectable(n, power),
            detectable_alone=alone.detectable(n, power),
            tasks=question.in_family(repeats).tasks(effect, power),
            tasks_upper=upper,
            tasks_sharing=in_family.tasks(effect, power),
            inert=alone.equivalence_power(margin, n),
            inert_tasks=question.alone(repeats).tasks_equivalent(margin, power),
            experiments=experiments,
            error=monte_carlo_error(shown, experiments),
            no_room=room,
        )

    def curve(self) -> tuple[CurvePoint, ...]:
        """Power of a contrast in its family by tasks, for some numbers of repeats, by the closed form."""
        n, question, wanted = self.clusters.n_tasks, self.questions["contrast"], self.wanted
        needed = question.in_family(1, self.clusters).tasks(wanted.effect, wanted.power) or 10 * n
        most = min(max(needed, 2 * n, 20), 100_000)
        places = sorted({int(place) for place in np.geomspace(5, most, POINTS)} | {max(2, n)})
        return tuple(
            CurvePoint(repeats, place, question.in_family(repeats, self.clusters).power(wanted.effect, place))
            for repeats in sorted({*CURVES, self.spec.repeats})
            for place in places
        )


def power_table(
    experiment: Experiment, pilot: Pilot | TablePilot | None, wanted: PlanOptions, clusters: Clustering
) -> PowerTable:
    """What the run asks, with assumed variance parts or a pilot's (SpecFault where it has none)."""
    spec, design, rules = experiment.spec, experiment.design, experiment.spec.analysis
    base, pilots = BASE, tuple[Piloted, ...]()
    if pilot is not None:
        outcomes, compared = pilot.measured(rules.outcome)
        pilots = pilot_parts(outcomes, _telling_contrasts(compared), ASSUMED)
        base = _base(outcomes) if pilots else BASE
    plan = AnalysisPlan(
        arms=tuple(arm.name for arm in design.arms),
        conditions=design.conditions,
        pairs=design.pairs,
        channel_pairs=design.channel_pairs,
        primary=design.primary,
        cells=design.cells,
    )
    families = {family.name: family for family in families_of(plan, spec.backbone)}
    questions = {}
    for name, assumed in ASSUMED.items():
        told = "utility" if name == "drop" and pilot is not None and pilot.compares_arms else name
        mine = [pilot_parts for pilot_parts in pilots if pilot_parts.estimand == told]
        questions[name] = Question(
            family=families.get(FAMILIES[name].name, FAMILIES[name]),
            parts=mean_parts([pilot_parts.parts for pilot_parts in mine]) if mine else assumed,
            alpha=rules.alpha,
            grain=0.0 if rules.outcome == "score" else 1.0,
            pilot_units=min((pilot_parts.n_clusters for pilot_parts in mine), default=0),
        )
    return PowerTable(questions, pilots, _variance(pilot, pilots), base, wanted, clusters, spec)


def _telling_contrasts(plan: AnalysisPlan) -> tuple[Contrast, ...]:
    """Contrasts of a pilot whose variance is planned with: real arms, under damage to what the text says."""
    arms = tuple(arm for arm in plan.arms if arm != plan.positive_control)
    telling = tuple(name for name in plan.damages if name in (*plan.primary, *plan.semantic))
    conditions = telling or plan.damages
    return (
        *(utility(arm) for arm in arms),
        *(drop(arm, name) for arm in arms for name in conditions),
        *(drops_apart(*pair, name) for pair in plan.pairs for name in conditions),
    )


def _base(outcomes: Outcomes) -> float:
    """Mean score of the intact cells, kept off 0 and 1."""
    means = [
        table.mean(cell)
        for table in map(outcomes.cells, outcomes.backbones)
        for cell in table.cells
        if cell[1] == INTACT and cell[0] != ORACLE
    ]
    known = [float(np.nanmean(mean)) for mean in means if not np.isnan(mean).all()]
    return min(max(float(np.mean(known)), 0.02), 0.98) if known else BASE


def _variance(pilot: Pilot | TablePilot | None, pilots: tuple[Piloted, ...]) -> str:
    if pilot is None:
        spreads = ", ".join(f"{sqrt(ASSUMED[name].task):.2f} for a {name}" for name in ("drop", "contrast"))
        assumed = f"assumed (mean score {BASE:g}; standard deviation between tasks {spreads})"
        return f"{assumed}; a pilot measures it (--pilot RUN or TABLE)"
    if not pilots:
        return "assumed: the pilot has fewer than 8 tasks in every contrast, or none that differs"
    simulated = " of simulated models, no evidence about any language model" if pilot.simulated else ""
    source = "pilot"
    if pilot.compares_arms:
        source = "pilot's table, a drop's taken to be that of its arms' differences and a contrast's assumed"
    return f"from the {source}{simulated}; leave its tasks out of the confirmatory set"
