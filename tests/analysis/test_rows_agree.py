"""Words that rest on other rows: what these have to show, and that no open one stands beside a word."""

from dataclasses import replace

import pytest

from memtrial.analysis.estimands.contrast import beyond_placebo, oddity_of
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import RunFacts
from memtrial.analysis.verdicts.guards.content import (
    coherence,
    oddity,
)
from memtrial.analysis.verdicts.guards.obedience import adherence
from memtrial.analysis.verdicts.guards.order import apply_guards
from memtrial.analysis.verdicts.rules import word_rows
from memtrial.outcomes.reserved_names import PLACEBO
from tests.support.guard_rows import (
    BESIDE,
    DAMAGE,
    FALLS,
    FOLLOWS,
    MASKED,
    NAMED_ALONE,
    NAMED_BESIDE,
    OBEYS,
    ODD,
    ODD_SWAP,
    OTHER_FOLLOWS,
    PLAN,
    PLAYED,
    SHOWN_CONTENT,
    SWAPPED,
    SWAPPED_APART,
    SWAPPED_MORE,
    SWAPPED_TREATMENT,
    TURNED_NOTHING,
    UNSEEN,
    VOUCHED,
    facts,
    row,
)

COUNTERED_FALLS = VOUCHED[1]


@pytest.mark.parametrize("seen", [FALLS, SWAPPED, COUNTERED_FALLS, MASKED], ids=lambda seen: seen.condition)
@pytest.mark.parametrize("turned", [(NAMED_ALONE,), (OBEYS, NAMED_BESIDE)], ids=["intact", "beside"])
def test_who_does_the_same_told_to_do_and_told_to_avoid_reads_nothing(
    seen: Estimate, turned: tuple[Estimate, ...]
) -> None:
    found = adherence(seen, facts(seen, FOLLOWS, OTHER_FOLLOWS, *turned, run=PLAYED))
    assert (found.verdict, found.code) == ("inconclusive", Reason.NOT_OBEYED)


def test_a_placebo_of_foreign_text_that_was_played_decides_however_fluent_the_damage() -> None:
    known = facts(SWAPPED_MORE, SWAPPED_TREATMENT, SWAPPED_APART, run=PLAYED)
    assert coherence(SWAPPED_MORE, known).code == Reason.ODDITY_APART
    assert oddity(SWAPPED, facts(SWAPPED, ODD_SWAP, run=PLAYED)).code == Reason.ODDITY


SUPPORT = (SHOWN_CONTENT, FOLLOWS, OTHER_FOLLOWS, OBEYS, BESIDE)


def word_of_the_drop(*support: Estimate) -> str:
    known = facts(FALLS, *support, run=PLAYED)
    odd_is_played = replace(known, plan=replace(PLAN, conditions=(DAMAGE, oddity_of(DAMAGE))))
    words = {one.key: one for one in apply_guards((FALLS, *support), odd_is_played)}
    return words[FALLS.key].verdict


def test_no_word_stands_beside_an_open_row_that_it_rests_on() -> None:
    assert word_of_the_drop(*SUPPORT) == "load-bearing"
    for weak in SUPPORT:
        # its own p shows it, the one that its word rests on does not
        alone = replace(weak, p=0.001, p_adjusted=0.2, verdict="inconclusive")
        rows = [alone if one is weak else one for one in SUPPORT]
        # where the placebo was played, polarity beside the intact memory is not what decides
        decided = "load-bearing" if weak is OBEYS else "inconclusive"
        assert word_of_the_drop(*rows) == decided, weak.estimand


def test_a_word_without_known_polarity_says_so() -> None:
    known = facts(SWAPPED, FOLLOWS, OTHER_FOLLOWS, run=PLAYED)
    (worded,) = word_rows((replace(SWAPPED, code=Reason.ABOVE),), known)
    assert worded.caveats[0] == Caveat.POLARITY_UNKNOWN
    assert "to be named may be all that counts" in worded.reason
    obeyed = facts(SWAPPED, FOLLOWS, OTHER_FOLLOWS, OBEYS, run=PLAYED)
    (worded,) = word_rows((replace(SWAPPED, code=Reason.ABOVE),), obeyed)
    assert Caveat.POLARITY_UNKNOWN not in worded.caveats


TABLE = RunFacts(fluent=frozenset(), of_table=True)
BEYOND = replace(row(beyond_placebo("control", DAMAGE, PLACEBO)), verdict="load-bearing")


@pytest.mark.parametrize("run", [UNSEEN, TABLE], ids=["unseen", "table"])
@pytest.mark.parametrize("seen", [COUNTERED_FALLS, SWAPPED, MASKED, BEYOND], ids=lambda seen: seen.condition)
@pytest.mark.parametrize("turned", [(TURNED_NOTHING,), (FALLS, ODD)], ids=["drop", "beyond-its-placebo"])
def test_where_no_act_is_seen_the_opposite_has_to_cost_something(
    run: RunFacts, seen: Estimate, turned: tuple[Estimate, ...]
) -> None:
    found = adherence(seen, facts(seen, *turned, run=run))
    assert (found.verdict, found.code) == ("inconclusive", Reason.NOT_TURNED)


@pytest.mark.parametrize(
    ("seen", "beside"),
    [
        (COUNTERED_FALLS, (FALLS,)),
        (COUNTERED_FALLS, (TURNED_NOTHING, SHOWN_CONTENT)),
        # a placebo that fits few memories does not outweigh the drop
        (COUNTERED_FALLS, (FALLS, replace(ODD, n_clusters=29))),
        # nor does an inversion that fits few of them outweigh anything
        (COUNTERED_FALLS, (replace(TURNED_NOTHING, n_clusters=29),)),
        (COUNTERED_FALLS, ()),
        # of the inversion itself its own placebo is asked, later
        (FALLS, (ODD,)),
    ],
)
def test_an_inversion_that_costs_or_is_not_known_takes_no_word(
    seen: Estimate, beside: tuple[Estimate, ...]
) -> None:
    assert adherence(seen, facts(seen, *beside, run=UNSEEN)) == seen


def test_of_an_unseen_agent_a_word_without_an_inversion_says_so() -> None:
    fallen = replace(COUNTERED_FALLS, code=Reason.ABOVE)
    (worded,) = word_rows((fallen,), facts(fallen, run=UNSEEN))
    assert worded.caveats[0] == Caveat.POLARITY_UNKNOWN
    (worded,) = word_rows((fallen,), facts(fallen, FALLS, run=UNSEEN))
    assert Caveat.POLARITY_UNKNOWN not in worded.caveats
