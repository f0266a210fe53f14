"""Records and banks: what they hold, what they refuse, and the name that their content gives them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadbearing.memory.bank import Bank
from loadbearing.memory.item import NativeItem, TheoryItem, field_names, schema_of
from loadbearing.memory.record import Record

calm = settings(deadline=None)  # the first call imports, and machines are shared

texts = st.text(max_size=12)
items = st.one_of(
    st.builds(NativeItem, texts, texts, texts), st.builds(TheoryItem, texts, texts, texts, texts, texts)
)
records = st.builds(
    Record,
    task_id=texts,
    query=texts,
    family=texts,
    template=texts,
    items=st.lists(items, max_size=3).map(tuple),
    trace_id=texts,
    outcome=st.sampled_from(["success", "failure"]),
)
banks = st.builds(Bank, texts, st.lists(records, max_size=4, unique_by=lambda r: r.task_id).map(tuple))

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


@calm
@given(bank=banks)
def test_a_bank_survives_json_and_keeps_its_digest(bank):
    again = Bank.from_json(json.loads(json.dumps(bank.to_json())))
    assert again == bank
    assert again.digest == bank.digest


@calm
@given(record=records)
def test_a_record_survives_json(record):
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record


def reversed_keys(value):
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(entry) for entry in value] if isinstance(value, list) else value


@calm
@given(bank=banks)
def test_the_digest_does_not_depend_on_the_order_of_keys(bank):
    assert Bank.from_json(reversed_keys(bank.to_json())).digest == bank.digest


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


def test_a_record_without_items_stays():
    assert SOME.records[2].items == ()
    assert Bank.from_json(SOME.to_json()).records[2] == SOME.records[2]


def test_two_records_of_one_task_are_refused():
    with pytest.raises(ValueError, match=r"one record a task.*'theory'.*'t1'") as fault:
        Bank("theory", (*SOME.records, replace(SOME.records[0], query="other")))
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    "missing", ["task_id", "query", "family", "template", "items", "trace_id", "outcome"]
)
def test_a_record_with_a_hole_is_refused(missing):
    raw = SOME.records[0].to_json()
    del raw[missing]
    with pytest.raises(ValueError, match=missing):
        Record.from_json(raw)


@pytest.mark.parametrize("missing", ["schema", "claim", "trigger", "mechanism", "scope", "form"])
def test_an_item_with_a_hole_is_refused(missing):
    raw = json.loads(json.dumps(SOME.to_json()))
    del raw["records"][1]["items"][0][missing]
    with pytest.raises(ValueError, match=missing):
        Bank.from_json(raw)


@pytest.mark.parametrize(
    ("key", "value"), [("outcome", "fail"), ("items", "text"), ("items", ["text"]), ("task_id", 7)]
)
def test_a_record_of_the_wrong_type_is_refused(key, value):
    with pytest.raises(ValueError, match=key):
        Record.from_json({**SOME.records[0].to_json(), key: value})


@pytest.mark.parametrize(
    "raw", [{}, {"condenser": "a"}, {"condenser": 1, "records": []}, {"condenser": "a", "records": [1]}]
)
def test_a_bank_with_a_hole_is_refused(raw):
    with pytest.raises(ValueError, match="a bank needs"):
        Bank.from_json(raw)
