"""Damage of one field: in it something changes, outside it nothing, in any schema."""

import pytest
from hypothesis import given, settings

from memtrial.agents.slot import NOTHING, Slot
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.one_field import ONE_FIELD, OneField
from tests.support.damaging import damage, refusal
from tests.support.slots import slots

THEORY = (
    '# Memory Item 1\n## Claim In "Salt crusts", do `push the pedal`, because "The loom runs" comes of it.\n'
    '## Trigger state: "Salt crusts" | task: ribbon loom\n'
    '## Mechanism `push the pedal` causes "The loom runs", and nothing else was seen to.\n'
    "## Scope Near relatives of that task. Does NOT apply when frost shows.\n## Form heuristic"
)
NATIVE = (
    "# Memory Item 1\n## Title The ribbon loom\n## Description Does not apply when moss clings.\n"
    "## Content When the salt crusts, push the pedal, unless frost shows, because that moves the loom."
)
FIELDS = {
    ("theory", "when"): ['In "Salt crusts",', 'state: "Salt crusts" | task: ribbon loom'],
    ("theory", "what"): ["do `push the pedal`"],
    ("theory", "scope"): ["Near relatives of that task. Does NOT apply when frost shows."],
    ("native", "when"): ["When the salt crusts,"],
    ("native", "scope"): ["when moss clings", ", unless frost shows"],
    ("native", "why"): [", because that moves the loom."],
}
every = pytest.mark.parametrize("kind", ONE_FIELD, ids=lambda kind: kind.name)


@pytest.mark.parametrize(("schema", "field"), FIELDS, ids="-".join)
def test_a_field_is_found_in_either_schema(schema: str, field: str) -> None:
    item = {"theory": THEORY, "native": NATIVE}[schema]
    kind = next(one for one in ONE_FIELD if one.field == field)
    assert [item[low:high] for low, high in kind.places(item)] == FIELDS[schema, field]


@every
@pytest.mark.parametrize("item", [THEORY, NATIVE], ids=["theory", "native"])
def test_both_schemas_can_be_damaged_and_the_check_holds(kind: OneField, item: str) -> None:
    slot = Slot("Notes.", (item,))
    assert refusal(kind, slot, NOTHING) == ""
    damaged = damage(kind, slot, 0, NOTHING)
    assert check(kind, slot, damaged).reason == ""
    assert damaged == damage(kind, slot, 0, NOTHING)


@every
@settings(max_examples=15)
@given(slot=slots(least=1))
def test_outside_the_field_every_word_stands(kind: OneField, slot: Slot) -> None:
    if refusal(kind, slot, NOTHING):
        return
    damaged = damage(kind, slot, 1, NOTHING)
    assert damaged.cue == slot.cue
    for before, after in zip(slot.items, damaged.items, strict=True):
        at = 0
        for low, high in kind.others(before):
            at = after.index(before[low:high], at) + high - low


@every
def test_damage_elsewhere_or_none_fails_the_check(kind: OneField) -> None:
    slot = Slot("Notes.", (THEORY,))
    assert check(kind, slot, slot).reason == "the text is as it was"
    damaged = damage(kind, slot, 0, NOTHING)
    more = Slot("Notes.", (damaged.items[0].replace("heuristic", "guess"),))
    assert "verbatim" in check(kind, slot, more).reason


def test_a_field_that_no_item_has_is_not_applicable() -> None:
    kind = next(one for one in ONE_FIELD if one.field == "scope")
    assert "says anything of `scope`" in refusal(kind, Slot("", ("Push the pedal.",)), NOTHING)
