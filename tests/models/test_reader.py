"""The reader: it follows what fits, in the order told, whatever the schema; nothing else moves it."""

import pytest

from memtrial.agents.react import WITHHELD
from memtrial.agents.slot import NOTHING, Slot
from memtrial.models.client.types import Message
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.filler import Filler
from memtrial.perturbations.removal import Empty
from memtrial.prompts.templates import cue_line
from tests.support.damaging import damage
from tests.support.loom import (
    ADVISED,
    FROST,
    LAST,
    NATIVE,
    OTHER,
    PANEL,
    PROSE,
    READER,
    SCHEMAS,
    SECOND,
    SLACK,
    THEORY,
    actions,
    conversation,
    follows,
    slot,
)

schemas = pytest.mark.parametrize("item", SCHEMAS.values(), ids=SCHEMAS)


@schemas
def test_the_reader_follows_what_fits_in_every_schema(item):
    assert follows(READER, conversation(slot(item), SLACK))


@schemas
def test_the_reader_explores_where_nothing_fits(item):
    there = conversation(slot(item), "You stand before the ribbon loom and its panel. The hatch is open.")
    assert not follows(READER, there)
    assert len(set(actions(READER, there))) == len(PANEL)


def test_the_state_may_stand_in_the_task():
    item = f'# Memory Item 1\n## Claim In "ribbon loom", do `{ADVISED}`.\n## Trigger task: "ribbon loom"'
    assert follows(READER, conversation(slot(item), OTHER))


@pytest.mark.parametrize(
    "trigger",
    [
        'state: "The belt hangs slack"',
        "state: belt slack | task: ribbon loom",
        f"state: belt hangs | action: `{PANEL[0]}`",
        'task: "for sashes" | state: "hangs slack"',
    ],
)
def test_a_trigger_says_where_an_item_fits(trigger):
    item = f"# Memory Item 1\n## Claim Do `{ADVISED}`, because it helps.\n## Trigger {trigger}"
    assert follows(READER, conversation(slot(item), SLACK))
    assert not follows(READER, conversation(slot(item), OTHER))


def test_the_right_sentence_of_several_is_followed():
    assert follows(READER, conversation(slot(PROSE), OTHER), "wind the zinc crank")
    assert follows(READER, conversation(slot(f"When the hatch is open, {PANEL[0]}.", NATIVE), SLACK))


@schemas
def test_the_reader_never_does_what_the_inverted_memory_warns_of(item):
    inverted = damage(CorruptInvert(), Slot(cue_line(), (item,)), 0, NOTHING)
    done = actions(READER, conversation(inverted.text, SLACK))
    assert ADVISED not in done
    assert len(set(done)) == len(PANEL) - 1


@schemas
@pytest.mark.parametrize("kind", [Empty(), Filler()], ids=lambda kind: kind.name)
def test_a_memory_without_content_leaves_the_reader_to_explore(item, kind):
    damaged = damage(kind, Slot(cue_line(), (item,)), 0, NOTHING)
    assert set(actions(READER, conversation(damaged.text, SLACK))) == set(PANEL)


@pytest.mark.parametrize(
    "advice",
    [
        f"When the belt hangs slack, do not avoid `{ADVISED}`.",
        f"When the belt hangs slack, don't skip `{ADVISED}`.",
        f"{ADVISED.capitalize()} when the belt hangs slack.",
        f'In "The belt hangs slack", {ADVISED}.',
        f"- As soon as the belt hangs slack, {ADVISED}!",
        f"If frost does not show, {ADVISED}.",
        f"If the gauge isn't trembling, {ADVISED}.",
        f"Unless frost shows, {ADVISED}.",
        f"{ADVISED.capitalize()} unless the belt doesn't hang slack.",
        f"When “the belt hangs slack”, “{ADVISED}”.",
    ],
)
def test_ways_to_say_do(advice):
    assert follows(READER, conversation(slot(advice), SLACK))


@pytest.mark.parametrize(
    "advice",
    [
        f"When the belt hangs slack, avoid `{ADVISED}`.",
        f"When the belt hangs slack, do not {ADVISED}.",
        f"Don’t {ADVISED} if the belt hangs slack.",
        f"Never {ADVISED}, because the pin shears.",
        f"Refrain from `{ADVISED}`.",
        f"Do not {ADVISED} unless frost shows.",
    ],
)
def test_ways_to_say_avoid(advice):
    assert ADVISED not in actions(READER, conversation(slot(advice), SLACK))
    assert ADVISED in actions(READER, conversation(slot("Nothing to say."), SLACK))


@pytest.mark.parametrize(
    "item",
    [
        f"When the belt hangs slack, {ADVISED}, unless frost shows.",
        f"{ADVISED.capitalize()} unless frost shows.",
        f"When the belt hangs slack, {ADVISED}, except when frost shows.",
        f"When the belt hangs slack, {ADVISED}, but not when frost shows.",
        f"If frost does not show, {ADVISED}.",
        f"If frost doesn't show, {ADVISED}.",
        f"{ADVISED.capitalize()} when frost is not showing.",
        f"When the belt hangs slack, {ADVISED}, which does not apply if frost shows.",
        THEORY,
        THEORY.replace("frost shows", '"Frost shows"'),
        NATIVE.replace(", because", ", unless frost shows, because"),
    ],
)
def test_exclusions_are_honoured_in_prose_and_in_scope(item):
    assert follows(READER, conversation(slot(item), SLACK))
    assert not follows(READER, conversation(slot(item), FROST))


STEPS = (ADVISED, SECOND, LAST)


@pytest.mark.parametrize(
    "item",
    [
        f"When the belt hangs slack, {ADVISED}, then {SECOND}, then {LAST}.",
        f"When the belt hangs slack, {ADVISED}; {SECOND}; {LAST}.",
        f"When the belt hangs slack, `{ADVISED}`, and then `{SECOND}`, then `{LAST}`, because of the rules.",
        f"When the belt hangs slack, {ADVISED}, then {SECOND} before you {LAST}.",
        f"When the belt hangs slack, {ADVISED}, then {LAST} after {SECOND}.",
        f"When the belt hangs slack, {ADVISED}; before you {LAST}, {SECOND}.",
        f"When the belt hangs slack, {ADVISED}; after you {SECOND}, {LAST}.",
        THEORY.replace(f"do `{ADVISED}`", f"do `{ADVISED}`, then `{SECOND}`, then `{LAST}`"),
    ],
)
def test_several_steps_are_followed_in_order(item):
    listed = (*PANEL, LAST, SECOND)
    for number, step in enumerate(STEPS):
        seen = [SLACK] * (number + 1)
        assert follows(READER, conversation(slot(item), *seen, done=STEPS[:number], actions=listed), step)


def test_what_was_advised_and_done_is_not_done_again_and_again():
    there = conversation(slot(NATIVE), SLACK, SLACK, done=(ADVISED,))
    assert not follows(READER, there)


def test_a_warning_wins_over_another_notes_advice():
    assert ADVISED not in actions(READER, conversation(slot(NATIVE, f"Never {ADVISED}."), SLACK))


def test_what_cannot_be_done_here_is_passed_over():
    others = tuple(action for action in PANEL if action != ADVISED)
    assert set(actions(READER, conversation(slot(NATIVE), SLACK, actions=others))) == set(others)


# -- worlds without a list ---------------------------------------------------------------------------------


def test_where_no_actions_are_listed_an_advised_one_is_tried_word_for_word():
    item = NATIVE.replace(ADVISED, "`Search[Jonny Craig's band]`")
    assert follows(READER, conversation(slot(item), SLACK, actions=()), "Search[Jonny Craig's band]")


def test_the_verbs_that_the_rules_list_tell_a_command_from_another_word():
    rules = "You move about. Commands:\n- open OBJECT\n- pick up OBJECT\n- look around"
    item = 'When the belt hangs slack, `open the "iron" door`.'
    assert follows(READER, conversation(slot(item), SLACK, actions=(), rules=rules), 'open the "iron" door')
    for noun in ("`green box`", "`close the door`"):
        there = conversation(slot(f"When the belt hangs slack, {noun}."), SLACK, actions=(), rules=rules)
        done = set(actions(READER, there))
        assert noun.strip("`") not in done
        assert all(action.startswith(("open ", "pick up ", "look around")) for action in done)


def test_the_whole_observation_is_read_also_behind_a_blank_line():
    there = conversation(
        slot(NATIVE), "A hall.\n\nAlong the wall:\n- a loom\n\nThe belt hangs slack.", actions=()
    )
    assert follows(READER, there)


# -- memory that enters later ------------------------------------------------------------------------------


def test_a_note_that_enters_at_a_turn_is_read_from_then_on():
    messages = conversation("", SLACK, SLACK, SLACK, done=(PANEL[0], PANEL[1]))
    assert not follows(READER, messages)
    noted = Message("user", f"{messages[3].content}\n\n{slot(NATIVE)}")
    assert follows(READER, [*messages[:3], noted, *messages[4:]])
    assert follows(READER, [*messages[:3], noted])


def test_a_withheld_action_counts_as_not_done():
    held = WITHHELD.render({"action": ADVISED, "memory": slot("Look at the belt first.")})
    proposed = [*conversation(slot(NATIVE), SLACK, done=(ADVISED,)), Message("user", held)]
    assert follows(READER, proposed)
    warned = WITHHELD.render({"action": ADVISED, "memory": slot(f"Never {ADVISED}.")})
    assert ADVISED not in actions(READER, [*proposed[:-1], Message("user", warned)])
