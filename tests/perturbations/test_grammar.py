"""Faults of grammar and sentences that are not whole: found where damage brings them in, and nowhere else."""

import re

import pytest

from memtrial.perturbations.language.grammar import brought_in, not_whole
from tests.support import worked

WELL = "Open the door at a later time. The key, an old one, fits."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Open it at an later time.", "an later"),
        ("Take a earlier train.", "a earlier"),
        ("Wait a hour.", "a hour"),
        ("Use an unit.", "an unit"),
        ("Never not open it.", "Never not"),
        ("Do not never open it.", "not never"),
        ("Never do not open it.", "Never do not"),
        ("Avoid click the button.", "Avoid click the"),
        ("It does not opens.", "does not opens"),
        ("Open the the door.", "the the"),
        ("Open the a door.", "the a"),
        ("Pay by card , then leave.", ","),
        ("Pay by card,, then leave.", ",,"),
    ],
)
def test_a_fault_that_was_brought_in_is_named(text: str, said: str) -> None:
    assert f"`{said}`" in brought_in([WELL], [text])
    assert brought_in([text], [text]) == ""  # it stood there before


@pytest.mark.parametrize(
    "text",
    [
        "Never do this. Never avoid it. Do not do it.",
        "Wait an hour for a unit, a user, a European, a one-way street and an heir.",
        "An MRI, an 8, an X, a SQL query or an SQL query.",
        "Duran Duran played that that day; she had had enough.",
        "Avoid open doors and avoid work that lasts.",
        'Write `a a` and "an later" and "the the".',
        "It fails, e.g., when i.e. is meant, etc., and so on...",
    ],
)
def test_good_text_is_left_alone(text: str) -> None:
    assert brought_in([WELL], [text]) == not_whole([WELL], [text]) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Open the door and.", "ends with"),
        ("Open the door because the", "ends with"),
        ("Open the door (with a key.", "bracket"),
        ('Open the "door.', "quote"),
        ("Open the door with a key. Then leave. Open the door with a key.", "said twice"),
    ],
)
def test_a_sentence_that_is_not_whole_is_named(text: str, said: str) -> None:
    assert said in not_whole([WELL], [text])
    assert not_whole([text], [text]) == ""


def test_what_was_said_twice_may_be_turned_twice() -> None:
    twice = "When it is lit, pull it. When it is lit, pull it."
    assert not_whole([twice], [twice.replace("pull", "never pull")]) == ""


def test_headings_triggers_and_raw_trajectories_are_no_sentences() -> None:
    assert not_whole([WELL], ["# Memory Item 1\n## Title The key of the\n## Trigger state: the"]) == ""
    assert brought_in([WELL], ["Step 1\nThought: go to the the door\nAction: open , it"]) == ""


@pytest.mark.parametrize("source", worked.SOURCES)
def test_no_intact_item_raises_an_alarm_in_place_of_another(source: str) -> None:
    for schema in worked.SCHEMAS:
        for item in worked.slots(source, schema):
            plain = re.sub(r"(?m)^#.*?(?: |$)", "", item)
            assert (
                brought_in([WELL], [item]) == brought_in([WELL], [plain]) == not_whole([WELL], [item]) == ""
            )
