"""What a look decides, what is said after one, and which families stand behind which."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.hypothesis_families import HYPOTHESES, SERIAL, families
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate, Hypothesis
from memtrial.analysis.sequential.interim import LockedLooks, take_look
from memtrial.analysis.sequential.look_schedule import Looks
from memtrial.analysis.verdicts.facts import RowFacts, RunFacts
from memtrial.analysis.verdicts.guards.whole_run import boundaries
from memtrial.analysis.verdicts.rules import word_rows
from memtrial.ledger.run_plan import Look
from memtrial.reports.text.hypothesis_answers import answers
from memtrial.views.rows.results import Results
from tests.support.estimate_rows import estimate
from tests.support.judging import facts_of
from tests.support.report_example import bare, estimate_row

LOOKS = Looks((20, 40, 60), 0.05)
DISAGREE = Caveat.DISAGREE.sentence


def at_looks(row: Estimate, taken: tuple[Look, ...], looks: Looks) -> Estimate:
    """The row after the guard of the looks, with its sentence."""
    code = {"inconclusive": Reason.UNDECIDED, "inert": Reason.WITHIN}.get(row.verdict, Reason.ABOVE)
    row = replace(row, code=code)
    run = RunFacts(looks=LockedLooks(looks, taken, True, looks.counts[-1]))
    facts = facts_of(AnalysisPlan((), ()), (row, RowFacts()), run=run)
    return word_rows([boundaries(row, facts)], facts)[0]


def rows(*p_values: float | None) -> list:
    return [estimate(p, condition=f"c{place}") for place, p in enumerate(p_values)]


def test_a_run_stops_when_all_hypotheses_are_decided_or_any() -> None:
    first = LOOKS.levels[0]
    assert not take_look(rows(first * 0.9, 0.5), LOOKS, 1, (), "all").stop
    assert take_look(rows(first * 0.9, 0.5), LOOKS, 1, (), "any").stop
    assert take_look(rows(first * 0.9, first), LOOKS, 1, (), "all").stop
    # above the level nothing is decided, however small five per cent would make it look
    assert not take_look(rows(first * 1.1, first * 1.1), LOOKS, 1, (), "any").stop
    assert not take_look(rows(0.03, 0.03), LOOKS, 1, (), "any").stop
    assert not take_look(rows(None, None), LOOKS, 1, (), "any").stop


def test_what_was_decided_stays_so() -> None:
    one = take_look(rows(1e-6, 0.5), LOOKS, 1, (), "all")
    two = take_look(rows(0.9, LOOKS.levels[1] / 2), LOOKS, 2, (one,), "all")
    assert [seen.crossed for seen in two.seen] == [False, True]
    assert two.stop
    assert take_look(rows(0.9), LOOKS, 3, (one, two), "all").stop  # all tasks are played


def test_after_an_early_stop_the_interval_is_the_repeated_one() -> None:
    row = estimate(1e-4, "load-bearing")
    taken = (take_look([estimate(0.5)], LOOKS, 1, (), "all"),)
    taken = (*taken, take_look([row], LOOKS, 2, taken, "all"))
    found = at_looks(row, taken, LOOKS)
    error = 0.05 / t.ppf(0.975, 59)
    reach = t.isf(norm.sf(LOOKS.boundaries[1]), 59)
    assert (found.high - found.low) / 2 == pytest.approx(reach * error)
    assert found.high - found.low > row.high - row.low
    assert found.verdict == "load-bearing"
    assert found.p_adjusted == pytest.approx(LOOKS.overall(1e-4, 2))
    assert "2 of 3 looks" in found.reason


def test_interval_and_p_that_disagree_over_the_looks_are_said_to() -> None:
    # p over all looks is small, and estimate 0.06 with error 0.025 does not reach the boundary
    row = replace(estimate(1e-4, "load-bearing", value=0.06), low=0.01, high=0.11)
    taken = (take_look([estimate(0.5)], LOOKS, 1, (), "all"),)
    taken = (*taken, take_look([row], LOOKS, 2, taken, "all"))
    found = at_looks(row, taken, LOOKS)
    assert found.low < 0 < found.high
    assert found.p_adjusted < 0.05
    assert found.reason.endswith(DISAGREE)
    # said once, and of the interval that is shown
    wide = replace(row, low=-0.01, high=0.13)
    assert at_looks(wide, taken, LOOKS).reason.count(DISAGREE) == 1
    far = replace(row, estimate=0.3, low=0.25, high=0.35)
    assert DISAGREE not in at_looks(far, taken, LOOKS).reason


def test_no_word_without_a_boundary_and_none_lost_that_was_reached() -> None:
    small = estimate(0.03, "load-bearing")
    taken = (take_look([small], LOOKS, 1, (), "all"),)
    found = at_looks(small, taken, LOOKS)
    assert (found.verdict, found.p_adjusted > 0.05) == ("inconclusive", True)
    assert "boundary of no look" in found.reason
    once = (take_look([estimate(1e-6, value=-0.2), estimate(0.5, condition="x")], LOOKS, 1, (), "all"),)
    later = estimate(0.4, "inconclusive", value=0.01)
    assert at_looks(later, once, LOOKS).verdict == "reversed"
    inert = estimate(0.6, "inert", condition="x")
    assert at_looks(inert, once, LOOKS).verdict == "inconclusive"


def test_the_least_repeated_p_over_looks_is_a_p_value() -> None:
    """Simulated scores without effect: reading the smallest p of three looks errs in alpha of the runs."""
    rng = np.random.default_rng(7)
    path = rng.standard_normal((20_000, 3)).cumsum(1) / np.sqrt(np.arange(1, 4))
    levels = norm.isf(np.array(LOOKS.levels) / 2)
    assert (np.abs(path) >= levels).any(1).mean() == pytest.approx(0.05, abs=0.006)


def gates(*p_values: tuple[float | None, ...]) -> list[tuple[bool, int, int]]:
    """Of families in the serial order: whether each is confirmatory, hypotheses rejected, and tested."""
    named = zip(SERIAL, p_values, strict=False)
    listed = [replace(row, family=name) for name, each in named for row in rows(*each)]
    return [(one.confirmatory, one.rejected, one.tested) for one in families(listed, 0.05)]


def test_a_later_family_opens_only_behind_families_that_fell_as_a_whole() -> None:
    found = gates((0.01, 0.04), (0.01, 0.2), (0.001,))
    assert found == [(True, 2, 2), (True, 1, 2), (False, 1, 1)]
    # what could not be tested did not fall
    assert [one[0] for one in gates((0.01, None), (0.01,))] == [True, False]


def test_serial_gatekeeping_keeps_the_error_rate_over_families() -> None:
    """Simulated p-values: two true hypotheses of the second family behind a false one of the first."""
    rng = np.random.default_rng(8)
    wrong, times = 0, 4_000
    for _ in range(times):
        first, *rest = rng.random(3)
        one, two = gates((first,), tuple(min(1, 2 * p) for p in rest))
        wrong += bool(one[1] or (two[0] and two[1]))
    assert wrong / times == pytest.approx(0.05, abs=0.012)


def test_the_ledger_lists_every_family_with_its_members() -> None:
    listed = families(
        [
            estimate(0.2, family="drops"),
            estimate(0.01, family=HYPOTHESES),
            estimate(None, family=HYPOTHESES, arm="activation"),
            estimate(0.01, family="other contrasts", condition="filler"),
        ],
        0.05,
    )
    assert [(one.name, one.role, one.order) for one in listed] == [
        (HYPOTHESES, "primary", 1), ("other contrasts", "secondary", 2), ("drops", "secondary", None),
    ]  # fmt: skip
    assert [one.confirmatory for one in listed] == [True, False, False]
    assert (listed[0].tested, listed[0].rejected) == (1, 1)
    assert listed[0].members[0] == "contrast: artifact - control, corrupt_invert (b)"


def test_a_reader_is_told_that_interval_and_p_disagree() -> None:
    numbers: dict[str, Any] = {"estimate": 0.3, "low": -0.02, "high": 0.6}
    row = estimate_row("contrast", "a", versus="c", caveats=(Caveat.DISAGREE,), **numbers)
    entry = Hypothesis(treatment="a", control="c", condition="filler", backbone="b", verdict="load-bearing")

    def found(*rows: Estimate) -> Results:
        words = {"verdicts": {"b": {"a": {"filler": "load-bearing"}}}, "utility": {"b": {"a": "helps"}}}
        return bare(**words, hypotheses=(entry,), backbones=("b",), arms=("none", "a", "c"), estimates=rows)

    (told,) = answers(found(row))
    assert told.sentence.count(DISAGREE) == 1
    plain = replace(row, caveats=())
    assert DISAGREE not in answers(found(plain))[0].sentence
