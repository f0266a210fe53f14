"""A case for each guard of equivalence, content and delivery in which it acts, and one where it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loadbearing.analysis.behaviour.cancellation import Cancellation
from loadbearing.analysis.estimands.contrast import Contrast, drop
from loadbearing.analysis.estimands.secondary import CARRIES, beyond_placebo, content_effect, retention
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.verdicts.facts import Facts, Measured, RunFacts
from loadbearing.analysis.verdicts.guards.content import (
    actions_differ,
    backbones_differ,
    effects_cancel,
    most_of_the_utility,
    oddity,
    placebo_moves,
    rewording,
)
from loadbearing.analysis.verdicts.guards.order import Guard
from loadbearing.analysis.verdicts.guards.run import advice_check, not_applicable, not_delivered
from loadbearing.outcomes.reserved_names import ALL, PLACEBO

PLAN = AnalysisPlan(arms=("control",), conditions=("corrupt_invert", PLACEBO))
DAMAGE = "corrupt_invert"
CANCELLING = Cancellation(0.01, 0.4, 0.5, 30, "present", "effects differ between tasks")


def row(contrast: Contrast, backbone: str = "m", estimate: float = 0.3, p: float = 0.001) -> Estimate:
    """A row with 60 tasks."""
    return Estimate(
        estimand=contrast.estimand, backbone=backbone, arm=contrast.arm, versus=contrast.versus,
        condition=contrast.condition, share=contrast.share, family="f", n_tasks=60, n_clusters=60,
        n_missing=0, n_informative=30, estimate=estimate, p=p, p_adjusted=p, p_equivalence=0.5,
    )  # fmt: skip


INERT = replace(row(drop("control", DAMAGE), estimate=0.01, p=0.9), verdict="inert", p_equivalence=0.01)
FALLS = replace(row(drop("control", DAMAGE)), verdict="load-bearing")
MEAN = replace(INERT, backbone=ALL)
REWORDED = replace(row(drop("control", PLACEBO)), verdict="load-bearing")
CARRIED = row(retention("control", DAMAGE, CARRIES))
ODD = row(content_effect("control", DAMAGE), estimate=0.02, p=0.7)
NO_MORE = row(beyond_placebo("control", DAMAGE, PLACEBO), estimate=0.01, p=0.8)


def facts(*rows: Estimate, run: RunFacts | None = None, cancels: bool = False) -> Facts:
    measured = {one.key: Measured(cancellation=CANCELLING if cancels else None) for one in rows}
    return Facts(PLAN, {one.key: one for one in rows}, measured, run or RunFacts())


CASES: tuple[tuple[Guard, Estimate, Facts, str, Reason], ...] = (
    (
        backbones_differ,
        MEAN,
        facts(MEAN, row(drop("control", DAMAGE), "one"), replace(INERT, backbone="two")),
        "inconclusive",
        Reason.BACKBONES_DIFFER,
    ),
    (effects_cancel, INERT, facts(INERT, cancels=True), "inconclusive", Reason.EFFECTS_CANCEL),
    (
        actions_differ,
        INERT,
        facts(INERT, run=RunFacts(diverging={("m", "control", DAMAGE): "it acts otherwise"})),
        "inconclusive",
        Reason.ACTIONS_DIFFER,
    ),
    (most_of_the_utility, INERT, facts(INERT, CARRIED), "inconclusive", Reason.MOST_OF_UTILITY),
    (placebo_moves, REWORDED, facts(REWORDED), "inconclusive", Reason.PLACEBO_MOVES),
    (oddity, FALLS, facts(FALLS, ODD), "inconclusive", Reason.ODDITY),
    (rewording, FALLS, facts(FALLS, REWORDED, NO_MORE), "inconclusive", Reason.REWORDING),
    (
        not_delivered,
        FALLS,
        facts(FALLS, run=RunFacts(lost={("m", "control"): 3})),
        "untestable",
        Reason.NOT_DELIVERED,
    ),
    (
        not_applicable,
        FALLS,
        facts(FALLS, run=RunFacts(inapplicable={("m", "control", DAMAGE): "no step to turn"})),
        "untestable",
        Reason.NOT_APPLICABLE,
    ),
    (
        advice_check,
        FALLS,
        facts(FALLS, run=RunFacts(advice={("m", "control", DAMAGE): "the advice stayed"})),
        "untestable",
        Reason.ADVICE_CHECK,
    ),
)


@pytest.mark.parametrize(
    ("guard", "seen", "known", "word", "code"), CASES, ids=[case[0].__name__ for case in CASES]
)
def test_a_guard_acts_where_it_has_to_and_nowhere_else(
    guard: Guard, seen: Estimate, known: Facts, word: str, code: Reason
) -> None:
    found = guard(seen, known)
    assert (found.verdict, found.code) == (word, code)
    other = replace(seen, arm="another", condition="corrupt_mask")  # of which nothing is known
    assert guard(other, known) == other
    open_word = replace(seen, verdict="inconclusive")
    assert guard(open_word, known).verdict in ("inconclusive", "untestable")
