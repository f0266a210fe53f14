"""The questions of a plan: what its size can show, and what the wanted effect takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from loadbearing.analysis.families import HYPOTHESES, Family, families_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.pilot_variance import Piloted, piloted, reckoned
from loadbearing.analysis.planning.question import Question, ask
from loadbearing.analysis.planning.sample_size import World, scenario_of
from loadbearing.analysis.planning.variance import ASSUMED_CONTRAST, ASSUMED_DROP
from loadbearing.ledger.random_streams import Stream
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.outcomes.reserved_names import INTACT, ORACLE
from loadbearing.reports.inputs.cells import outcome_table
from loadbearing.reports.inputs.planned import analysis_plan
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.planning.pilot import Pilot
from loadbearing.runs.setup.preflight import Experiment

REPEATS = (1, 2, 3, 5, 8, 10)
"""Numbers of repeats that a plan weighs against tasks."""
ESTIMANDS = ("utility", "drop", "contrast")
ASSUMED = {"utility": ASSUMED_DROP, "drop": ASSUMED_DROP, "contrast": ASSUMED_CONTRAST}
NOISE_OF_SCORES = 0.5
"""Variance of a dense score as a share of a success's, where nothing is known of it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a plan is asked for.

    Args:
        effect: the smallest contrast that matters, in points of score.
        power: chance of showing it.
        budget_usd, budget_episodes: what may be spent; None: not asked.
        task_usd: what a further task costs besides its episodes.
        simulate: experiments of a simulation of the power; 0: the closed form alone.

    Raises:
        SpecFault: a number out of range.
    """

    effect: float = 0.10
    power: float = 0.80
    budget_usd: float | None = None
    budget_episodes: int | None = None
    task_usd: float = 0.0
    simulate: int = 0

    def __post_init__(self) -> None:
        ranges = (
            (
                "--effect",
                self.effect,
                0.0 < self.effect < 1.0,
                "a share of the score between 0 and 1, as 0.10",
            ),
            ("--power", self.power, 0.5 <= self.power < 1.0, "a chance from 0.5 to below 1, as 0.8"),
            ("--budget", self.budget_usd, _above_zero(self.budget_usd), "US dollars above 0"),
            ("--episodes", self.budget_episodes, _above_zero(self.budget_episodes), "a number above 0"),
            ("--task-cost", self.task_usd, 0.0 <= self.task_usd < np.inf, "US dollars, 0 or more"),
            ("--simulate", self.simulate, 0 <= self.simulate <= 100_000, "experiments, 0 to 100000"),
        )
        for option, got, fits, needed in ranges:
            if not fits:
                raise SpecFault(f"{option} takes {needed}; got {got!r}")


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions by estimand, and the world that a simulation of them reckons with."""

    questions: dict[str, Question]
    pilot: tuple[Piloted, ...]
    world: World
    source: str


def questions_of(experiment: Experiment, pilot: Pilot | None, wanted: Wanted, clusters: Clustering) -> Asked:
    """What the run asks, with the pilot's variance parts or assumed ones.

    Args:
        clusters: of the run's tasks.

    Raises:
        SpecFault: the pilot's trials are no table of outcomes.
    """
    spec, dense = experiment.spec, experiment.spec.analysis.outcome == "score"
    outcomes = None if pilot is None else _outcomes(pilot, spec.analysis.outcome)
    found: tuple[Piloted, ...] = ()
    if pilot is not None and outcomes is not None:
        found = piloted(outcomes, _telling(analysis_plan(pilot.plan)))
    world = World(noise=NOISE_OF_SCORES if dense else 1.0)
    if found and outcomes is not None:
        world = replace(world, base=_base(outcomes), control_drop=max(_control_drop(outcomes, found), 0.0))
    questions = {}
    for estimand in ESTIMANDS:
        parts = reckoned(found, estimand, ASSUMED[estimand], spec.repeats)
        family = _family(experiment, estimand)
        grain = 0.0 if dense else 1.0
        one = ask(family, parts, spec.repeats, spec.analysis.alpha, wanted.power, grain, clusters)
        questions[estimand] = _shaped(one, wanted.effect, world, {*REPEATS, spec.repeats})
    return Asked(questions, found, world, _source(pilot, found))


def _shaped(question: Question, effect: float, world: World, repeats: Iterable[int]) -> Question:
    """The same with the shape that contrasts have in such a world, where it has room for the effect."""
    parts = question.reckoned.parts
    apart = replace(question, reckoned=replace(question.reckoned, parts=replace(parts, cluster=0.0)))
    try:
        # clusters do not change the shape of a single task's contrast
        scenario = scenario_of(apart, effect, world)
    except ValueError:
        return question
    return replace(question, shapes=scenario.shapes(repeats))


def _outcomes(pilot: Pilot, outcome: str) -> Outcomes | None:
    if not {"pairs", "primary", "clusters", "margin"} <= pilot.plan.keys():
        return None
    try:
        return outcome_table(pilot.rows, {**pilot.plan, "outcome": outcome})
    except ValueError as fault:
        raise SpecFault(f"--pilot needs a run whose outcomes can be read: {fault}") from fault


def _telling(plan: AnalysisPlan) -> tuple[Contrast, ...]:
    """Contrasts of a pilot that tell what to reckon with: real arms, under damage to what the text says."""
    arms = tuple(arm for arm in plan.arms if arm != plan.positive_control)
    said = tuple(name for name in plan.damages if name in (*plan.primary, *plan.semantic))
    conditions = said or plan.damages
    return (
        *(utility(arm) for arm in arms),
        *(drop(arm, name) for arm in arms for name in conditions),
        *(drops_apart(*pair, name) for pair in plan.pairs for name in conditions),
    )


def _family(experiment: Experiment, estimand: str) -> Family:
    """The family in which the run tests this estimand; one contrast by itself where the run has none."""
    spec, design = experiment.spec, experiment.design
    plan = AnalysisPlan(
        arms=tuple(arm.name for arm in design.arms),
        conditions=design.conditions,
        pairs=design.pairs,
        primary=design.primary,
        cells=design.cells,
    )
    names = {"utility": "utilities", "drop": "drops", "contrast": HYPOTHESES}
    for family in families_of(plan, spec.backbone):
        if family.name == names[estimand]:
            return family
    alone = {
        "utility": utility("arm"),
        "drop": drop("arm", "damage"),
        "contrast": drops_apart("treatment", "control", "damage"),
    }
    return Family(estimand, (("", alone[estimand]),), Stream.UTILITIES)


def _base(outcomes: Outcomes) -> float:
    """Mean score of the intact cells, kept off 0 and 1."""
    means = [
        table.mean(cell)
        for table in map(outcomes.cells, outcomes.backbones)
        for cell in table.cells
        if cell[1] == INTACT and cell[0] != ORACLE
    ]
    known = [float(np.nanmean(one)) for one in means if not np.isnan(one).all()]
    return min(max(float(np.mean(known)), 0.02), 0.98) if known else 0.5


def _control_drop(outcomes: Outcomes, found: Iterable[Piloted]) -> float:
    """Mean drop of the arms that contrasts are held against."""
    seen = []
    for one in found:
        if one.contrast.estimand == "contrast":
            table = outcomes.cells(one.backbone)
            drops = drop(one.contrast.versus, one.contrast.condition).per_task(table)
            if not np.isnan(drops).all():
                seen.append(float(np.nanmean(drops)))
    return float(np.mean(seen)) if seen else 0.05


def _source(pilot: Pilot | None, found: tuple[Piloted, ...]) -> str:
    if pilot is None:
        return "assumed: base rate .5, tasks that differ as in STATISTICS 4; a pilot's would replace them"
    if not found:
        return "assumed: the pilot has fewer than 8 tasks in every contrast, or none that differs"
    label = (
        "a pilot of simulated models, no evidence about any language model"
        if pilot.plan.get("simulated")
        else "the pilot"
    )
    return f"from {label}; its tasks do not belong into the confirmatory set"


def _above_zero(value: float | None) -> bool:
    return value is None or 0 < value < np.inf


def clusters_said(
    clusters: Clustering, how: str, questions: dict[str, Question], repeats: int
) -> dict[str, Any]:
    """`effective_n`: how many independent tasks the run's tasks are worth."""
    worth = {
        name: round(clusters.effective(one.reckoned.parts.icc(repeats)), 1) for name, one in questions.items()
    }
    icc = {name: round(one.reckoned.parts.icc(repeats), 4) for name, one in questions.items()}
    return {
        "tasks": clusters.n_tasks,
        "clusters": clusters.n_clusters,
        "kish_size": round(clusters.kish_size, 3),
        "icc": icc,
        **worth,
        "how": how,
    }
