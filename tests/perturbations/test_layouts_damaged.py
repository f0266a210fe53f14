"""Replies in other layouts than headings: damage takes the text of fields, and leaves labels and marks."""

import json

import pytest

from memtrial.agents.slot import Slot
from memtrial.memory.item import schema_of
from memtrial.memory.language.structure import parts, skeleton
from memtrial.memory.markdown import item_texts, read_reply
from memtrial.perturbations.irrelevant.framed_texts import texts_under
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.manipulation_check import check
from tests.memory.test_layouts import FAREWELL, NATIVE, A, B
from tests.support.damaging import damage, refusal

FOREIGN = {
    A.title: "Check the map",
    B.title: "Cook the rice slowly",
    A.description: "Before a trip.",
    B.description: "For dinner guests.",
    "Sort the list, then read the top entry: it is": "Open a map, then follow the river road: it is",
    "the answer.": "quick.",
    "never guess": "avoid tolls",
    "Next": "Fuel",
    B.content: "Rinse the rice, because starch makes it stick.",
}
LOSES_A_HEADING = ("title in the heading", "title in bold", "underlined")
"""Their emptied title is no heading any more; the check says so, and the kind does not apply."""


def foreign(text: str) -> str:
    for own, other in FOREIGN.items():
        text = text.replace(own, other)
    return text


def slot_of(text: str) -> Slot:
    return Slot("Notes:", item_texts(text))


@pytest.mark.parametrize("name", NATIVE)
def test_the_parts_are_the_text_and_labels_are_heads(name: str) -> None:
    text = f"Here is what the run taught:\n\n{NATIVE[name]}\n\n{FAREWELL}"
    cut = parts(text)
    assert "".join(part.head + part.body for part in cut) == text
    bodies = " ".join(part.body for part in cut)
    assert {"title", "description", "content"} <= {part.label for part in cut}
    for mark in ("Title", "TITLE", "title", "Description", "Content", "CONTENT", "taught", "Let me"):
        assert mark not in bodies


@pytest.mark.parametrize("name", NATIVE)
def test_damage_leaves_labels_and_stays_readable(name: str) -> None:
    text = NATIVE[name].replace("\r\n", "\n")
    slot, donor = slot_of(text), slot_of(foreign(text))
    for kind in ALL:
        if refusal(kind, slot, donor) or (kind.name == "empty" and name in LOSES_A_HEADING):
            continue
        after = damage(kind, slot, 0, donor)
        found = check(kind, slot, after)
        assert found.passed, (kind.name, found.reason)
        if kind.name in ("without", "empty"):
            continue
        assert [skeleton(one) for one in after.items] == [skeleton(one) for one in slot.items], kind.name
        shown = "\n\n".join(after.items)
        assert [schema_of(one) for one in read_reply(shown).items] == ["native", "native"], kind.name
        if name == "json":
            assert len(json.loads(shown)) == 2, kind.name


PLAIN = {
    A.title: "Sort the list",
    "top entry: it is": "top entry of",
    "note: check": "check",
    "may change": "changes",
}


@pytest.mark.parametrize("name", NATIVE)
def test_plain_commands_are_turned_in_every_layout(name: str) -> None:
    (own,) = (one for one in ALL if one.name == "corrupt_invert")
    text = NATIVE[name]
    for intact, plain in PLAIN.items():
        text = text.replace(intact, plain)
    slot = slot_of(text.replace('\\"Next\\"', "it"))
    assert refusal(own, slot, slot) == ""
    shown = " ".join(damage(own, slot, 0, slot).text.split()).lower()
    for told in ("never ask before paying", "never read the total", "never changes", "never sort the list"):
        assert told in shown


@pytest.mark.parametrize("kind", ["corrupt_mask", "filler", "irrelevant_swap", "paraphrase"])
def test_most_kinds_apply_in_most_layouts(kind: str) -> None:
    (own,) = (one for one in ALL if one.name == kind)
    reasons = {name: refusal(own, slot_of(text), slot_of(foreign(text))) for name, text in NATIVE.items()}
    assert sum(not why for why in reasons.values()) >= len(NATIVE) - 3, reasons


def test_a_foreign_text_is_written_as_its_place_needs_it() -> None:
    own = json.dumps([{"title": A.title, "description": A.description, "content": B.content}])
    content = 'Take the "river" road,\nfor it is quick.'
    other = f"<title>Maps</title><description>Of a trip.</description><content>{content}</content>"
    put = texts_under(own)(other)
    assert put is not None
    assert json.loads(put.raw)[0]["content"] == content
