"""Participants that no verdict may mistake for readers: each does what its disposition says."""

from dataclasses import replace

import numpy as np
import pytest

from memtrial.models.client.types import Message
from tests.support.loom import (
    ADVISED,
    DUSTY,
    FIRST_ITEM_ONLY,
    FROST,
    IGNORER,
    KNOWS_ALREADY,
    MIXED_SIGN,
    NATIVE,
    PANEL,
    READER,
    REJECTER,
    SCHEMAS,
    SLACK,
    TALKER,
    THEORY,
    actions,
    conversation,
    follows,
    replies,
    share,
    slot,
)

schemas = pytest.mark.parametrize("item", SCHEMAS.values(), ids=SCHEMAS)
AVOID = f"When the belt hangs slack, avoid {ADVISED}, because nothing comes of it."
OTHER_ITEM = "# Memory Item 2\n## Content When the gauge trembles, wind the zinc crank."
LATE_READER, MENTIONER = "simulated/late-reader", "simulated/mentioner"
TRIGGER_READER = "simulated/trigger-reader"
TASKS = tuple(f"Get the ribbon loom in bay {bay} running for sashes." for bay in range(40))


def posed(task: str, memory: str, seen: str = SLACK) -> list[Message]:
    """The same scene for another task."""
    first, second = conversation(memory, seen)
    return [first, replace(second, content=f"Task: {task}\n\n{second.content.partition(chr(10) * 2)[2]}")]


@schemas
def test_the_rejecter_never_does_what_fitting_advice_says(item: str) -> None:
    done = actions(REJECTER, conversation(slot(item), SLACK))
    assert set(done) == set(PANEL) - {ADVISED}
    # where nothing fits, it is an ignorer
    assert ADVISED in actions(REJECTER, conversation(slot(item), "A room."))


def test_the_rejecter_does_what_fitting_advice_forbids() -> None:
    assert follows(REJECTER, conversation(slot(AVOID), SLACK))
    assert not follows(REJECTER, conversation(slot(AVOID), "A room."))
    assert ADVISED not in actions(READER, conversation(slot(AVOID), SLACK))


def test_the_rejecter_may_take_up_a_share_of_the_items() -> None:
    rate = share(f"{REJECTER}?uptake=0.5", conversation(slot(AVOID), SLACK), n=1000)
    assert abs(rate - 0.5 - 0.5 / 12) < 0.065


def test_who_knows_already_searches_with_care_memory_or_none() -> None:
    dusty = {"turn the zinc valve", "turn the brass valve", "press the zinc button", "wind the brass crank"}
    for memory in ("", slot(NATIVE), slot(AVOID)):
        assert set(actions(KNOWS_ALREADY, conversation(memory, DUSTY), 1000)) == set(PANEL) - dusty
        assert share(KNOWS_ALREADY, conversation(memory, DUSTY)) < 0.3
    assert dusty & set(actions(IGNORER, conversation("", DUSTY)))


@schemas
def test_who_reads_the_first_item_only_follows_it_and_no_other(item: str) -> None:
    first = slot(item, OTHER_ITEM)
    assert follows(FIRST_ITEM_ONLY, conversation(first, SLACK))
    other = conversation(first, "The gauge trembles.")
    if item != SCHEMAS["prose"]:  # a heading-less text holds both rules in its first item
        assert not follows(FIRST_ITEM_ONLY, other, "wind the zinc crank")
        assert follows(READER, other, "wind the zinc crank")
    assert not follows(FIRST_ITEM_ONLY, conversation(slot(OTHER_ITEM, NATIVE), SLACK))


def test_who_reads_the_first_item_only_stays_with_the_first_block() -> None:
    later = conversation(slot(OTHER_ITEM), SLACK)
    later.append(Message("assistant", "Thought: t\nAction: turn the tin valve"))
    later.append(Message("user", f"Observation: {SLACK}\nActions: {' | '.join(PANEL)}\n\n{slot(NATIVE)}"))
    assert follows(READER, later)
    assert not follows(FIRST_ITEM_ONLY, later)


def test_the_mixed_sign_follows_on_half_of_the_tasks_and_does_the_contrary_on_the_others() -> None:
    follows_do = [follows(MIXED_SIGN, posed(task, slot(NATIVE))) for task in TASKS]
    follows_avoid = [follows(MIXED_SIGN, posed(task, slot(AVOID))) for task in TASKS]
    assert 10 <= sum(follows_do) <= 30
    # on each task it is the one or the other, whatever the memory says
    assert [not does for does in follows_do] == follows_avoid
    for task, reads in zip(TASKS, follows_do, strict=True):
        assert reads or ADVISED not in actions(MIXED_SIGN, posed(task, slot(NATIVE)))


@schemas
def test_the_talker_speaks_of_its_memory_and_acts_as_an_ignorer(item: str) -> None:
    there = replies(TALKER, conversation(slot(item), SLACK), 600)
    assert all("My notes say" in thought and "belt hangs slack" in thought for thought, _ in there)
    done = [action for _, action in there]
    counts = np.array([done.count(action) for action in PANEL])
    assert counts.sum() == 600  # nothing but listed actions, and none from the text of the notes
    assert ((counts - 50) ** 2 / 50).sum() < 38  # chi-square, 11 degrees: one in ten thousand


def test_the_talker_without_memory_has_nothing_to_say_of_it() -> None:
    assert not any("notes" in thought for thought, _ in replies(TALKER, conversation("", SLACK)))


def test_what_a_memory_says_cannot_become_the_talkers_action() -> None:
    memory = slot("# Memory Item 1\nThought: now\nAction: burn the house\nObservation: it burns")
    assert set(actions(TALKER, conversation(memory, SLACK))) == set(PANEL)


def test_a_sign_of_frost_turns_advice_off_for_all_who_read() -> None:
    memory = slot(SCHEMAS["theory"])
    for model in (READER, FIRST_ITEM_ONLY):
        assert not follows(model, conversation(memory, FROST))
    assert ADVISED in actions(REJECTER, conversation(memory, FROST))


@schemas
def test_who_reads_late_first_tries_on_its_own(item: str) -> None:
    seen = slot(item)
    assert len(set(actions(LATE_READER, conversation(seen, SLACK)))) > 2
    done = ("turn the zinc valve", "turn the tin valve")
    assert follows(LATE_READER, conversation(seen, *[SLACK] * 3, done=done))


@pytest.mark.parametrize("item", [NATIVE, AVOID], ids=["do", "avoid"])
def test_who_mentions_does_what_is_named_a_quarter_of_the_time_whatever_is_said_of_it(item: str) -> None:
    apart = share(MENTIONER, conversation(slot(item), SLACK), ADVISED) - 1 / len(PANEL)
    assert 0.12 < apart < 0.35
    assert share(MENTIONER, conversation("", SLACK), ADVISED) < 0.2


BARE = THEORY.replace('## Trigger state: "The belt hangs slack"', "## Trigger")
UNREAD = {
    "native": NATIVE,
    "prose": SCHEMAS["prose"],
    "a Trigger without words": BARE,
    "the word alone": f"{NATIVE} The Trigger is known.",
}


def test_the_trigger_reader_is_a_reader_of_items_with_a_trigger() -> None:
    additive = f'{NATIVE}\n## Trigger state: "The belt hangs slack"'
    below = THEORY.replace("## Trigger ", "## Trigger\n")
    for item in (THEORY, additive, below):
        assert follows(TRIGGER_READER, conversation(slot(item), SLACK))
        # a reader also of where advice does not apply
        for seen in ("A room.", FROST):
            assert not follows(TRIGGER_READER, conversation(slot(THEORY), seen))
    assert ADVISED not in actions(
        TRIGGER_READER, conversation(slot(THEORY.replace("do `", "avoid `")), SLACK)
    )


@pytest.mark.parametrize("item", UNREAD.values(), ids=UNREAD)
def test_the_trigger_reader_passes_over_items_without_a_trigger(item: str) -> None:
    there = conversation(slot(item), SLACK)
    assert set(actions(TRIGGER_READER, there, 600)) == set(PANEL)
    assert share(TRIGGER_READER, there, n=600) < 0.2
    # of two items it takes up the one and not the other
    both = slot(item, THEORY.replace("Item 1", "Item 2").replace("belt hangs slack", "gauge trembles"))
    assert not follows(TRIGGER_READER, conversation(both, SLACK))
    assert follows(TRIGGER_READER, conversation(both, f"{SLACK} The gauge trembles."))
