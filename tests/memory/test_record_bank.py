"""Records and banks: what they hold, what they refuse, and the name that their content gives them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.memory.item import (
    NativeItem,
    TheoryItem,
    field_names,
    item_from_json,
    item_to_json,
    schema_of,
)
from memtrial.memory.record_bank import Bank, Record

calm = settings(deadline=None)  # the first call imports, and machines are shared

SOME = Bank(
    "theory",
    (
        Record("t1", "buy soap", "shop", "buy {x}", (NativeItem("a", "b", "c"),), "x1", "success"),
        Record(
            "t2",
            "buy tea",
            "shop",
            "buy {x}",
            (TheoryItem("c", "state: t", "m", "s", "heuristic"),),
            "x2",
            "failure",
        ),
        Record("t3", "boil water", "lab", "", (), "x3", "failure"),
    ),
)


def test_the_digest_is_pinned():
    # a changed digest of unchanged content would make every frozen bank look edited
    assert SOME.digest == "964377127f7264eae506de473eab501a7a191cbef3b0c125a0c6da0a09b9ef92"


@calm
@given(position=st.integers(0, 1), data=st.data())
def test_one_character_of_one_item_makes_another_bank(position, data):
    record = SOME.records[position]
    item = record.items[0]
    name = data.draw(st.sampled_from(field_names(schema_of(item))))
    text = getattr(item, name)
    extra = data.draw(st.characters(blacklist_categories=["Cs", "Zs", "Cc", "Zl", "Zp"]))
    place = data.draw(st.integers(0, len(text)))
    changed = replace(item, **{name: text[:place] + extra + text[place:]})
    other = list(SOME.records)
    other[position] = replace(record, items=(changed,))
    assert Bank("theory", tuple(other)).digest != SOME.digest


def test_every_part_counts_for_the_digest():
    first, second, third = SOME.records
    swapped = {
        "task_id": "z",
        "query": "z",
        "family": "z",
        "template": "z",
        "trace_id": "z",
        "outcome": "failure",
    }
    others = [
        Bank("theory", (replace(first, **{name: value}), second, third)) for name, value in swapped.items()
    ]
    others += [
        Bank("native", SOME.records),
        Bank("theory", (first, second)),
        Bank("theory", (second, first, third)),
        Bank("theory", (replace(first, items=first.items * 2), second, third)),
        Bank("theory", (replace(first, items=()), second, third)),
        Bank("theory", (replace(first, items=second.items), replace(second, items=first.items), third)),
    ]
    digests = {bank.digest for bank in [SOME, *others]}
    assert len(digests) == len(others) + 1
    assert all(len(digest) == 64 for digest in digests)


def test_two_records_of_one_task_are_refused():
    with pytest.raises(ValueError, match=r"one record a task.*'theory'.*'t1'") as fault:
        Bank("theory", (*SOME.records, replace(SOME.records[0], query="other")))
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("missing", ["schema", "claim", "trigger", "mechanism", "scope", "form"])
def test_an_item_with_a_hole_is_refused(missing):
    raw = item_to_json(TheoryItem("c", "state: t", "m", "s", "heuristic"))
    del raw[missing]
    with pytest.raises(ValueError, match=missing):
        item_from_json(raw)
