"""The questions of a run: its families, with a pilot's variance parts or assumed ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from loadbearing.analysis.families import HYPOTHESES, Family, families_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.planning.pilot_variance import Piloted, mean_parts, piloted
from loadbearing.analysis.planning.question import Question
from loadbearing.analysis.planning.variance import ASSUMED_CONTRAST, ASSUMED_DROP
from loadbearing.ledger.random_streams import Stream
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.outcomes.reserved_names import INTACT, ORACLE
from loadbearing.reports.inputs.cells import outcome_table
from loadbearing.reports.inputs.planned import analysis_plan
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.planning.pilot import Pilot
from loadbearing.runs.setup.preflight import Experiment

ASSUMED = {"utility": ASSUMED_DROP, "drop": ASSUMED_DROP, "contrast": ASSUMED_CONTRAST}
FAMILY = {"utility": "utilities", "drop": "drops", "contrast": HYPOTHESES}
UNPLANNED = {
    "utility": utility("arm"),
    "drop": drop("arm", "damage"),
    "contrast": drops_apart("treatment", "control", "damage"),
}
"""What is asked about by itself where the run has no such family."""
BASE = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions by estimand.

    Args:
        piloted: the contrasts behind their variance parts; none: assumed.
        margin: of equivalence.
        base: mean score of the intact cells.
        dense: scores without steps in place of successes and failures.
        source: of the variance parts, in words.
    """

    questions: Mapping[str, Question]
    piloted: tuple[Piloted, ...]
    margin: float
    base: float
    dense: bool
    source: str


def questions_of(experiment: Experiment, pilot: Pilot | None) -> Asked:
    """What the run asks.

    Raises:
        SpecFault: the pilot's trials are no table of outcomes.
    """
    rules = experiment.spec.analysis
    outcomes = None if pilot is None else _outcomes(pilot, rules.outcome)
    found: tuple[Piloted, ...] = ()
    if pilot is not None and outcomes is not None:
        found = piloted(outcomes, _telling(analysis_plan(pilot.plan)), ASSUMED)
    dense, questions = rules.outcome == "score", {}
    for name, assumed in ASSUMED.items():
        mine = [one for one in found if one.estimand == name]
        parts = mean_parts([one.parts for one in mine]) if mine else assumed
        units = min((one.n_clusters for one in mine), default=0)
        grain = 0.0 if dense else 1.0
        questions[name] = Question(_family(experiment, name), parts, rules.alpha, grain, units)
    base = _base(outcomes) if found and outcomes is not None else BASE
    return Asked(questions, found, rules.margin, base, dense, _source(pilot, found))


def _outcomes(pilot: Pilot, outcome: str) -> Outcomes | None:
    try:
        return outcome_table(pilot.rows, pilot.plan.model_copy(update={"outcome": outcome}))
    except ValueError as fault:
        raise SpecFault(f"--pilot needs a run whose outcomes can be read: {fault}") from fault


def _telling(plan: AnalysisPlan) -> tuple[Contrast, ...]:
    """Contrasts of a pilot whose variance is planned with: real arms, under damage to what the text says."""
    arms = tuple(arm for arm in plan.arms if arm != plan.positive_control)
    said = tuple(name for name in plan.damages if name in (*plan.primary, *plan.semantic))
    conditions = said or plan.damages
    return (
        *(utility(arm) for arm in arms),
        *(drop(arm, name) for arm in arms for name in conditions),
        *(drops_apart(*pair, name) for pair in plan.pairs for name in conditions),
    )


def _family(experiment: Experiment, estimand: str) -> Family:
    """The family in which the run tests this estimand."""
    spec, design = experiment.spec, experiment.design
    plan = AnalysisPlan(
        arms=tuple(arm.name for arm in design.arms),
        conditions=design.conditions,
        pairs=design.pairs,
        primary=design.primary,
        cells=design.cells,
    )
    planned = (one for one in families_of(plan, spec.backbone) if one.name == FAMILY[estimand])
    return next(planned, Family(estimand, (("", UNPLANNED[estimand]),), Stream.UTILITIES))


def _base(outcomes: Outcomes) -> float:
    """Mean score of the intact cells, kept off 0 and 1."""
    means = [
        table.mean(cell)
        for table in map(outcomes.cells, outcomes.backbones)
        for cell in table.cells
        if cell[1] == INTACT and cell[0] != ORACLE
    ]
    known = [float(np.nanmean(one)) for one in means if not np.isnan(one).all()]
    return min(max(float(np.mean(known)), 0.02), 0.98) if known else BASE


def _source(pilot: Pilot | None, found: tuple[Piloted, ...]) -> str:
    if pilot is None:
        spreads = ", ".join(f"{sqrt(ASSUMED[name].task):.2f} for a {name}" for name in ("drop", "contrast"))
        return (
            f"assumed (mean score {BASE:g}; standard deviation between tasks {spreads});"
            " a pilot measures it (--pilot RUN)"
        )
    if not found:
        return "assumed: the pilot has fewer than 8 tasks in every contrast, or none that differs"
    simulated = " of simulated models, no evidence about any language model" if pilot.plan.simulated else ""
    return f"from the pilot{simulated}; leave its tasks out of the confirmatory set"
