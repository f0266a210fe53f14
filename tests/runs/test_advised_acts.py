"""How soon it was done what the memory advises, and what `counter` advises in its place."""

from dataclasses import replace

import pytest

from memtrial.agents.slot import Slot
from memtrial.arms.arm import ARTIFACT
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN
from memtrial.runs.trials.adherence import ToldAction, find_told_actions
from memtrial.runs.trials.advised_acts import DoneActs, find_other_actions, score_acts
from tests.support.loom import ADVISED, FROST, OTHER, SECOND, SLACK
from tests.support.loom_told import LOOM, SAYS, TRUE, episode, native, slot, slots

TOLD = native(SAYS)
COUNTERED = slot(replace(SAYS, content=SAYS.content.replace(ADVISED, "oil the treadle")))
OTHERS = find_other_actions(TOLD, COUNTERED, NOTHING_KNOWN)
AVOIDS = native(replace(SAYS, content=f"When the belt hangs slack, never {ADVISED}."))


def acts(*turns: tuple[str, str], fault: str = "") -> DoneActs:
    return score_acts(TOLD, OTHERS, episode(*turns, fault=fault))


def test_what_is_done_late_counts_less_by_the_turns_at_which_it_was_left_undone() -> None:
    assert acts((SLACK, ADVISED), (SLACK, "wait")).told == 1.0
    # first by itself, then as told: no first state alone
    tries_first = ((SLACK, "wait"), (SLACK, "wait"), (SLACK, ADVISED), (SLACK, "wait"))
    assert acts(*tries_first).told == pytest.approx(10 / 12)
    assert acts(*tries_first[:2]).told == 0.0
    # a turn at which it does not apply is none at which it is left undone
    assert acts((OTHER, "wait"), *tries_first).told == pytest.approx(10 / 12)
    assert acts((OTHER, ADVISED), (SLACK, "wait"), (FROST, ADVISED)).told == 0.0
    assert acts((OTHER, ADVISED)).told == 0.0
    assert score_acts((), (), episode((SLACK, ADVISED))) == DoneActs()


def test_the_steps_of_a_sequence_are_each_done_once() -> None:
    told = native(replace(SAYS, content=f"When the belt hangs slack, do `{ADVISED}`, then `{SECOND}`."))

    def told_score(*done: str) -> float | None:
        return score_acts(told, (), episode(*((SLACK, action) for action in done))).told

    assert told_score(ADVISED, SECOND) == 1.0
    assert told_score(ADVISED, ADVISED, ADVISED, SECOND) == pytest.approx((1 + 10 / 12) / 2)
    assert told_score("wait", SECOND) == pytest.approx(10 / 11 / 2)


def test_the_other_action_is_due_where_the_one_it_stands_for_is() -> None:
    assert [action.action for action in OTHERS] == ["oil the treadle"]
    assert acts((SLACK, "oil the treadle")).other == 1.0
    assert acts((OTHER, "oil the treadle"), (SLACK, "wait")).other == 0.0
    assert acts((SLACK, ADVISED), (SLACK, "oil the treadle")).other == pytest.approx(10 / 11)
    assert score_acts(TOLD, (), episode((SLACK, "oil the treadle"))).other is None


def test_to_stumble_neither_lowers_the_one_nor_raises_the_other() -> None:
    lost = acts((SLACK, "that makes no sense"), (SLACK, "think again"), fault="refused")
    assert (lost.told, lost.other) == (0.0, 0.0)
    steps = replace(episode((SLACK, "?"), (SLACK, ADVISED)), start=SLACK).steps
    mixed = replace(
        episode((SLACK, "?"), (SLACK, ADVISED)), steps=(replace(steps[0], fault="refused"), steps[1])
    )
    assert score_acts(TOLD, OTHERS, mixed).told == 1.0  # the lost turn is no turn at which it was left undone
    other = replace(steps[1], action="oil the treadle")
    late = replace(mixed, steps=(mixed.steps[0], other))
    assert score_acts(TOLD, OTHERS, late).other == pytest.approx(10 / 11)
    # what the world would not take was done all the same
    assert acts((SLACK, ADVISED), fault="refused").told == 1.0


def test_what_is_to_be_avoided_is_counted_where_it_is_done() -> None:
    assert [action.do for action in AVOIDS] == [False]
    done = score_acts(AVOIDS, (), episode((SLACK, "wait"), (SLACK, ADVISED)))
    assert done == DoneActs(None, pytest.approx(10 / 11), None)
    assert score_acts(AVOIDS, (), episode((OTHER, ADVISED), (SLACK, "wait"))).avoided == 0.0
    # of two items one tells to do, the other to avoid
    both = native(SAYS, replace(SAYS, content=f"Never {SECOND}."))
    assert score_acts(both, (), episode((SLACK, ADVISED), (SLACK, SECOND))) == DoneActs(
        1.0, pytest.approx(10 / 11), None
    )
    # what is to be avoided has no other action
    assert (
        find_other_actions(AVOIDS, slot(replace(SAYS, content="Never oil the treadle.")), NOTHING_KNOWN) == ()
    )


@pytest.mark.parametrize(
    "countered",
    [
        None,
        Slot("Notes.", ()),
        slot(SAYS),  # it tells the same
        slot(replace(SAYS, content="It is a loom.")),
    ],
)
def test_without_another_action_nothing_is_known_of_it(countered: Slot | None) -> None:
    assert find_other_actions(TOLD, countered, NOTHING_KNOWN) == ()


def test_a_theory_item_lends_its_trigger_to_what_stands_in_its_place() -> None:
    told = find_told_actions(ARTIFACT, slots(theory=(TRUE,)), LOOM, NOTHING_KNOWN)
    changed = slot(replace(TRUE, claim=TRUE.claim.replace(ADVISED, SECOND)))
    (other,) = find_other_actions(told, changed, NOTHING_KNOWN)
    assert (other.action, other.fires) == (SECOND, told[0].fires)
    seen = (OTHER, SECOND), (SLACK, SECOND)
    assert score_acts(told, (other,), episode(*seen, fired={0: 1})).other == 1.0
    assert score_acts(told, (other,), episode(*seen)).other == 0.0


def test_more_other_actions_than_told_ones_apply_where_the_last_of_these_does() -> None:
    told = (ToldAction("turn a", None, True), ToldAction("turn b", None, True, (frozenset({"slack"}),)))
    three = slot(replace(SAYS, content="Do `push c`, then `push d`, then `push e`."))
    others = find_other_actions(told, three, NOTHING_KNOWN)
    assert [(other.action, other.when) for other in others] == [
        ("push c", ()), ("push d", told[1].when), ("push e", told[1].when),
    ]  # fmt: skip
