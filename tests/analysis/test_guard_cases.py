"""A case for each guard in which it acts, in the order in which they act, and one where it does not."""

from dataclasses import replace
from itertools import combinations

import pytest

from memtrial.analysis.estimands.contrast import drop
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.estimand_words import WORDS
from memtrial.analysis.verdicts.facts import Facts, Headroom, RowFacts, RunFacts
from memtrial.analysis.verdicts.guards.content import (
    carries_content,
    check_rewording,
    coherence,
    no_content_evidence,
    oddity,
    placebo_moves,
    presence,
    unreadable,
)
from memtrial.analysis.verdicts.guards.obedience import adherence, both_halves
from memtrial.analysis.verdicts.guards.order import GUARDS, Guard
from memtrial.analysis.verdicts.guards.room import (
    actions_differ,
    backbones_differ,
    ceiling,
    effects_cancel,
    floor,
    most_of_the_utility,
    nothing_to_carry,
    utility_not_established,
)
from memtrial.analysis.verdicts.guards.whole_run import (
    advice_check,
    boundaries,
    interim,
    negative_control,
    not_applicable,
    not_delivered,
    positive_control,
)
from memtrial.outcomes.reserved_names import ALL
from tests.support.guard_rows import (
    BESIDE,
    CANCELLING,
    CARRIED,
    CARRIES_ROW,
    COUNTERED,
    DAMAGE,
    DEAF,
    DECLARED,
    FALLS,
    FALLS_COUNTER,
    FALLS_TREATMENT,
    FLUENT,
    FOLLOWS,
    GAIN,
    GOES_ON,
    GONE,
    HELPS,
    IGNORED,
    INERT,
    MASKED,
    MEAN,
    MISSED,
    MORE,
    NAMED_ALONE,
    NAMED_BESIDE,
    NO_MORE,
    NOT_APART,
    OBEYS,
    ODD,
    ODD_SWAP,
    OPEN,
    OPEN_COUNTER,
    OPEN_FOLLOW,
    OPEN_TREATMENT,
    OTHER_ALONE,
    OTHER_FOLLOWS,
    OTHER_IGNORED,
    PLAN,
    PLAYED,
    REWORDED,
    SHOWN_APART,
    SHOWN_CONTENT,
    SMALL_GAIN,
    SWAPPED,
    SWAPPED_MORE,
    SWAPPED_TREATMENT,
    TURNED_NOTHING,
    UNSEEN,
    UNSHOWN,
    VOUCHED,
    facts,
    row,
)

CASES: tuple[tuple[Guard, Estimate, Facts, str, Reason], ...] = (
    (floor, FALLS, facts(FALLS, room=Headroom(0.1, False)), "untestable", Reason.FLOOR),
    (ceiling, INERT, facts(INERT, room=Headroom(1.0, True)), "untestable", Reason.CEILING),
    (nothing_to_carry, INERT, facts(INERT, SMALL_GAIN), "untestable", Reason.NOTHING_TO_CARRY),
    (utility_not_established, INERT, facts(INERT, GAIN), "inconclusive", Reason.NO_UTILITY),
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
    (no_content_evidence, FALLS, facts(FALLS, run=PLAYED), "inconclusive", Reason.NO_CONTENT_EVIDENCE),
    (check_rewording, FALLS, facts(FALLS, REWORDED, NO_MORE), "inconclusive", Reason.REWORDING),
    (unreadable, FALLS, facts(FALLS, readable=NO_MORE), "inconclusive", Reason.UNREADABLE),
    (both_halves, FOLLOWS, facts(FOLLOWS, OTHER_IGNORED), "inconclusive", Reason.HALF_FOLLOWED),
    (both_halves, FOLLOWS, facts(FOLLOWS), "inconclusive", Reason.HALF_FOLLOWED),
    (both_halves, FOLLOWS, facts(FOLLOWS, OTHER_ALONE), "inconclusive", Reason.HALF_FOLLOWED),
    (both_halves, IGNORED, facts(IGNORED, OTHER_FOLLOWS), "inconclusive", Reason.HALF_IGNORED),
    (adherence, FALLS, facts(FALLS, IGNORED), "inconclusive", Reason.IGNORED),
    (
        adherence,
        FALLS,
        facts(FALLS, OPEN_FOLLOW, OTHER_FOLLOWS, OBEYS, run=PLAYED),
        "inconclusive",
        Reason.NOT_FOLLOWED,
    ),
    (
        adherence,
        FALLS,
        facts(FALLS, FOLLOWS, OTHER_IGNORED, OBEYS, run=PLAYED),
        "inconclusive",
        Reason.NOT_FOLLOWED,
    ),
    (adherence, FALLS, facts(FALLS, NAMED_ALONE, run=PLAYED), "inconclusive", Reason.NOT_OBEYED),
    (
        adherence,
        FALLS,
        facts(FALLS, FOLLOWS, OTHER_FOLLOWS, NAMED_ALONE, run=PLAYED),
        "inconclusive",
        Reason.NOT_OBEYED,
    ),
    (adherence, FALLS, facts(FALLS, run=PLAYED), "inconclusive", Reason.ADHERENCE_UNKNOWN),
    (
        adherence,
        FALLS,
        facts(FALLS, FOLLOWS, OTHER_FOLLOWS, replace(OBEYS, n_clusters=29), run=PLAYED),
        "inconclusive",
        Reason.ADHERENCE_UNKNOWN,
    ),
    # where no act is seen, the score has to fall where the advice is turned round, or is another one
    (adherence, MASKED, facts(MASKED, run=UNSEEN), "inconclusive", Reason.ADHERENCE_UNKNOWN),
    (adherence, MASKED, facts(MASKED, OPEN_COUNTER, run=UNSEEN), "inconclusive", Reason.TOPIC_ALONE),
    (adherence, MASKED, facts(MASKED, ODD, FALLS, run=UNSEEN), "inconclusive", Reason.NOT_TURNED),
    (adherence, SWAPPED, facts(SWAPPED, TURNED_NOTHING, run=UNSEEN), "inconclusive", Reason.NOT_TURNED),
    (adherence, FALLS, facts(FALLS, COUNTERED), "inconclusive", Reason.COUNTER_INERT),
    (oddity, FALLS, facts(FALLS, ODD), "inconclusive", Reason.ODDITY),
    (oddity, FALLS, facts(FALLS, run=PLAYED), "inconclusive", Reason.NO_ODDITY_PLACEBO),
    (presence, GONE, facts(GONE, run=PLAYED), "inconclusive", Reason.PRESENCE),
    (carries_content, CARRIES_ROW, facts(CARRIES_ROW, OPEN), "inconclusive", Reason.DROP_NOT_CONTENT),
    (negative_control, UNSHOWN, facts(UNSHOWN), "untestable", Reason.WITHHELD_DIFFERS),
    (negative_control, HELPS, facts(HELPS, UNSHOWN), "inconclusive", Reason.NEGATIVE_CONTROL_MOVES),
    (
        not_delivered,
        FALLS,
        facts(FALLS, run=RunFacts(lost={("m", "control"): 3})),
        "untestable",
        Reason.NOT_DELIVERED,
    ),
    (
        not_delivered,
        FALLS,
        facts(FALLS, run=RunFacts(unread={("m", "control"): 3})),
        "untestable",
        Reason.NEVER_GIVEN,
    ),
    (
        not_delivered,
        FALLS,
        facts(FALLS, run=RunFacts(dormant={("m", "control"): 3})),
        "untestable",
        Reason.NEVER_ACTIVATED,
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
    (coherence, MORE, facts(MORE, OPEN_TREATMENT), "inconclusive", Reason.INCOHERENT),
    (coherence, MORE, facts(MORE, FALLS_TREATMENT, run=PLAYED), "inconclusive", Reason.NO_ODDITY_PLACEBO),
    (coherence, MORE, facts(MORE, FALLS_TREATMENT, NOT_APART), "inconclusive", Reason.ODDITY_APART),
    (positive_control, INERT, facts(INERT, DEAF), "insensitive", Reason.CONTROL_FAILED),
    (interim, DECLARED, facts(DECLARED, run=GOES_ON), "inconclusive", Reason.INTERIM),
    (boundaries, DECLARED, facts(DECLARED, run=MISSED), "inconclusive", Reason.NO_BOUNDARY),
)
# what is known of a whole run holds of every row, but these
SPARED: dict[Guard, Estimate] = {
    utility_not_established: FALLS,
    negative_control: replace(HELPS, estimate=-0.3, verdict="harms"),
    both_halves: FALLS,
    positive_control: FALLS,
    interim: MORE,
    boundaries: MORE,
}
RULES = (Reason.ABOVE, Reason.BELOW, Reason.WITHIN, Reason.UNDECIDED)


def test_every_guard_has_a_case_and_they_act_in_the_order_of_the_cases() -> None:
    assert tuple(dict.fromkeys(case[0] for case in CASES)) == GUARDS


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_every_guard_says_against_what_and_which_word_it_takes(guard: Guard) -> None:
    said = guard.__doc__ or ""
    assert said.startswith("Against ")
    words = ("`inert`", "`load-bearing`", "`follows`", "any verdict", "untestable")
    assert any(word in said for word in words)


def test_every_reason_but_the_rules_own_has_a_sentence() -> None:
    for reason in Reason:
        assert bool(reason.sentence) == (reason not in RULES), reason
    assert all(caveat.sentence for caveat in Caveat)
    assert all(words.claim(code) for words in WORDS.values() for code in RULES)


@pytest.mark.parametrize(
    ("guard", "seen", "known", "word", "code"), CASES, ids=[f"{case[0].__name__}-{case[4]}" for case in CASES]
)
def test_a_guard_acts_where_it_has_to_and_nowhere_else(
    guard: Guard, seen: Estimate, known: Facts, word: str, code: Reason
) -> None:
    found = guard(seen, known)
    assert (found.verdict, found.code) == (word, code)
    # of another place nothing is known
    other = SPARED.get(guard, replace(seen, arm="another", condition="corrupt_mask"))
    in_a_table = replace(known, run=replace(known.run, fluent=None))
    assert guard(other, in_a_table) == other
    open_word = replace(seen, verdict="inconclusive")
    assert guard(open_word, known).verdict in ("inconclusive", "untestable")


@pytest.mark.parametrize(
    ("guard", "seen", "known"),
    [
        (oddity, FALLS, facts(FALLS, run=FLUENT)),
        (oddity, FALLS, facts(FALLS, SHOWN_CONTENT, run=PLAYED)),
        (oddity, replace(FALLS, condition="irrelevant_swap"), facts(FALLS, run=PLAYED)),
        (unreadable, FALLS, facts(FALLS, readable=FALLS)),
        # of what is measured on too few units nothing is held against it
        (
            adherence,
            FALLS,
            facts(FALLS, replace(OPEN_FOLLOW, n_clusters=29), OTHER_FOLLOWS, OBEYS, run=PLAYED),
        ),
        # beside an inversion's placebo polarity says more, unless it is known of too few units
        (adherence, FALLS, facts(FALLS, FOLLOWS, OTHER_FOLLOWS, NAMED_ALONE, BESIDE, run=PLAYED)),
        (
            adherence,
            FALLS,
            facts(FALLS, FOLLOWS, OTHER_FOLLOWS, OBEYS, replace(NAMED_BESIDE, n_clusters=29), run=PLAYED),
        ),
        # of other damage polarity need not be known
        (adherence, SWAPPED, facts(SWAPPED, FOLLOWS, OTHER_FOLLOWS, run=PLAYED)),
        (
            adherence,
            SWAPPED,
            facts(SWAPPED, FOLLOWS, OTHER_FOLLOWS, replace(NAMED_ALONE, n_clusters=29), run=PLAYED),
        ),
        (adherence, SWAPPED, facts(SWAPPED, FOLLOWS, replace(OTHER_FOLLOWS, n_clusters=30), run=PLAYED)),
        # a table knows of no acts
        (adherence, FALLS, facts(FALLS, run=RunFacts(fluent=frozenset(), of_table=True))),
        # where no act is seen, the score answers: turned round, or where that fits too few, other advice
        (adherence, MASKED, facts(MASKED, SHOWN_CONTENT, OPEN_COUNTER, run=UNSEEN)),
        (adherence, MASKED, facts(MASKED, FALLS, run=UNSEEN)),
        (adherence, MASKED, facts(MASKED, replace(TURNED_NOTHING, n_clusters=29), FALLS_COUNTER, run=UNSEEN)),
        (adherence, FALLS, facts(FALLS, run=UNSEEN)),
        (both_halves, FOLLOWS, facts(FOLLOWS, OTHER_FOLLOWS)),
        (both_halves, IGNORED, facts(IGNORED, OTHER_IGNORED)),
        (oddity, FALLS, facts(FALLS, *VOUCHED, run=PLAYED)),
        # a placebo that fits few memories does not outweigh what the agent does
        (oddity, FALLS, facts(FALLS, *VOUCHED, replace(ODD, n_clusters=29), run=PLAYED)),
        (presence, GONE, facts(GONE, replace(IGNORED, verdict="follows"), run=PLAYED)),
        (presence, GONE, facts(GONE, FALLS, run=PLAYED)),
        (coherence, MORE, facts(MORE, FALLS_TREATMENT, run=FLUENT)),
        (coherence, replace(MORE, verdict="reversed"), facts(MORE, FALLS, OPEN_TREATMENT, run=FLUENT)),
        (coherence, MORE, facts(MORE, FALLS_TREATMENT, SHOWN_APART, run=PLAYED)),
        (coherence, SWAPPED_MORE, facts(SWAPPED_MORE, SWAPPED_TREATMENT, run=PLAYED)),
        (carries_content, CARRIES_ROW, facts(CARRIES_ROW, FALLS)),
    ],
)
def test_a_guard_lets_content_pass(guard: Guard, seen: Estimate, known: Facts) -> None:
    assert guard(seen, known) == seen


@pytest.mark.parametrize(
    ("seen", "known", "code"),
    [
        # a placebo that was played decides, however fluently the damage reads
        (FALLS, facts(FALLS, ODD, run=FLUENT), Reason.ODDITY),
        (FALLS, facts(FALLS, *VOUCHED, ODD, run=PLAYED), Reason.ODDITY),
        (SWAPPED, facts(SWAPPED, replace(ODD_SWAP, n_clusters=5), run=PLAYED), Reason.ODDITY),
        # one part of what vouches is not enough
        *(
            (FALLS, facts(FALLS, *parts, run=PLAYED), Reason.NO_ODDITY_PLACEBO)
            for parts in combinations(VOUCHED, 2)
        ),
        (FALLS, facts(FALLS, VOUCHED[0], VOUCHED[1], NAMED_ALONE, run=PLAYED), Reason.NO_ODDITY_PLACEBO),
        # and they vouch for inversions alone
        (MASKED, facts(MASKED, *VOUCHED, run=PLAYED), Reason.NO_ODDITY_PLACEBO),
    ],
)
def test_what_speaks_for_oddity_is_outweighed_by_acts_alone(
    seen: Estimate, known: Facts, code: Reason
) -> None:
    assert oddity(seen, known).code == code


def test_a_chance_drop_of_a_rewording_cancels_no_word_and_one_that_is_shown_does() -> None:
    beyond = replace(NO_MORE, estimate=0.1, p=0.2)
    chance = replace(REWORDED, estimate=0.167, p=0.02, p_adjusted=0.2, verdict="inconclusive")
    assert check_rewording(FALLS, facts(FALLS, chance, beyond)) == FALLS
    shown = replace(chance, p_adjusted=0.04)
    assert check_rewording(FALLS, facts(FALLS, shown, beyond)).code == Reason.REWORDING


OTHER_WAY = {"estimate": -0.3, "p": 0.001, "p_adjusted": 0.001}


@pytest.mark.parametrize(
    ("guard", "seen", "known", "code"),
    [
        (oddity, FALLS, facts(FALLS, replace(ODD, **OTHER_WAY)), Reason.ODDITY),
        (check_rewording, FALLS, facts(FALLS, REWORDED, replace(NO_MORE, **OTHER_WAY)), Reason.REWORDING),
        (unreadable, FALLS, facts(FALLS, readable=replace(NO_MORE, **OTHER_WAY)), Reason.UNREADABLE),
        (
            adherence,
            FALLS,
            facts(FALLS, replace(OPEN_FOLLOW, **OTHER_WAY, verdict="defies"), OTHER_FOLLOWS, run=PLAYED),
            Reason.NOT_FOLLOWED,
        ),
        (
            coherence,
            MORE,
            facts(MORE, FALLS_TREATMENT, replace(NOT_APART, **OTHER_WAY)),
            Reason.ODDITY_APART,
        ),
        (
            coherence,
            replace(MORE, verdict="reversed"),
            facts(MORE, FALLS, replace(NOT_APART, p=0.001, p_adjusted=0.001)),
            Reason.ODDITY_APART,
        ),
    ],
)
def test_an_effect_the_other_way_is_no_evidence_of_content(
    guard: Guard, seen: Estimate, known: Facts, code: Reason
) -> None:
    found = guard(seen, known)
    assert (found.verdict, found.code) == ("inconclusive", code)


def test_retention_below_a_half_is_not_most_of_the_utility() -> None:
    assert most_of_the_utility(INERT, facts(INERT, replace(CARRIED, **OTHER_WAY))) == INERT


def test_effects_that_cancel_on_one_backbone_are_held_against_the_mean() -> None:
    other = replace(INERT, backbone="n")
    rows = {one.key: one for one in (MEAN, INERT, other)}
    for at in (INERT, other):
        found = effects_cancel(MEAN, Facts(PLAN, rows, {at.key: RowFacts(cancellation=CANCELLING)}))
        assert (found.verdict, found.code) == ("inconclusive", Reason.EFFECTS_CANCEL)
        assert found.because["why"] == f"on {at.backbone} {CANCELLING.reason}"
    assert effects_cancel(MEAN, Facts(PLAN, rows, {})) == MEAN


def test_fluent_on_one_backbone_is_not_fluent_on_the_mean() -> None:
    both = (FALLS, replace(FALLS, backbone="n"), replace(FALLS, backbone=ALL))
    assert oddity(both[2], facts(*both, run=FLUENT)).code == Reason.NO_ODDITY_PLACEBO
    assert oddity(both[0], facts(*both, run=FLUENT)) == FALLS
