"""Items found in what a server gives: the longest one, in whatever form, and nothing else changed."""

import json

from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory_relay.shown_items import ItemTable

WORDS = st.text('ab"\\é\n ', min_size=1, max_size=6).filter(lambda text: any(map(str.isalnum, text)))


def test_of_items_that_begin_alike_the_longest_is_taken() -> None:
    table = ItemTable((("close the gate", "A"), ("close the gate at night", "B")))
    shown = table.show("1. close the gate at night; 2. close the gate")
    assert shown.text == "1. B; 2. A"
    assert shown.items == (1, 0)


def test_an_item_within_json_is_replaced_as_json() -> None:
    table = ItemTable((('say "stop"\nthen – wait', 'say "go"\nnow – run'),))
    for ascii in (True, False):
        told = json.dumps({"id": 7, "text": 'say "stop"\nthen – wait'}, ensure_ascii=ascii)
        assert json.loads(table.show(told).text) == {"id": 7, "text": 'say "go"\nnow – run'}


def test_what_is_no_item_is_counted_and_its_longest_piece_named() -> None:
    shown = ItemTable((("one item", "x"),)).show("head: one item, and a long tail behind it")
    assert (shown.known, shown.unknown, shown.stranger) == (7, 24, ", and a long tail behind it")


def test_without_items_every_text_stays() -> None:
    assert ItemTable(()).show("a text").text == "a text"


@given(st.lists(WORDS, min_size=1, max_size=4, unique=True), st.lists(st.integers(0, 3), max_size=6))
def test_replacing_items_by_themselves_changes_nothing_and_by_others_leaves_none(items, drawn) -> None:
    text = " | ".join(items[number % len(items)] for number in drawn)
    assert ItemTable([(item, item) for item in items]).show(text).text == text
    gone = ItemTable([(item, "#") for item in items]).show(text)
    longest = max(items, key=len)
    assert longest not in gone.text or "#" in longest
