"""Whether two items tell the opposite, from their words; and what a judge says of it."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.judges.contradiction_judge import judge_pairs
from memtrial.memory.bank.bank_item import ItemDetails
from memtrial.memory.bank.consolidation.advice_polarity import measure_opposition, read_advice
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.simulated.prompt import answer
from tests.support.bank_examples import make_item
from tests.support.scripted_judge import Scripted, caller

FILE = Path(__file__).parent / "opposed_items.txt"
PAIRS = {
    name: [tuple(line.split(" | ")) for line in body.splitlines() if line]
    for name, body in re.findall(r"(?ms)^\[(.+?)\]\n(.*?)(?=^\[|\Z)", FILE.read_text(encoding="utf-8"))
}
OPPOSED = [*PAIRS["opposed at first sight"], *PAIRS["opposed"]]
ALIKE = [*PAIRS["not opposed at first sight"], *PAIRS["not opposed"]]


def oppose(first: str, second: str) -> float:
    return measure_opposition(make_item("a", first), make_item("b", second))


@pytest.mark.parametrize("pair", OPPOSED, ids=range(len(OPPOSED)))
def test_what_tells_the_opposite_is_seen_both_ways(pair: tuple[str, str]) -> None:
    assert oppose(*pair) > 0.6
    assert oppose(*pair[::-1]) == oppose(*pair)


@pytest.mark.parametrize("pair", ALIKE, ids=range(len(ALIKE)))
def test_what_does_not_is_left_alone(pair: tuple[str, str]) -> None:
    assert oppose(*pair) <= 0.6


def test_there_are_enough_pairs() -> None:
    assert (len(OPPOSED), len(ALIKE)) == (28, 28)


def test_near_opposites_are_near_by_their_vectors() -> None:
    first, second = OPPOSED[8]
    rows = HashingEmbedder().vectors([first, second])
    assert rows[0] @ rows[1] > 0.8


@pytest.mark.parametrize(
    ("first", "second", "strength"),
    [
        ("Sort the rows ascending.", "Sort the rows descending.", 1.0),
        ("Never open the box.", "Open the box.", 1.0),
        ("Never open the red box.", "Open the box.", 2 / 3),
        ("Never open the box.", "When it is red, open the box.", 0.5),
        ("When it is red, never open the box.", "When it is blue, open the box.", 0.0),
        ("Never open the box.", "Never open the box.", 0.0),
        ("Open the box, never the lid.", "Open the lid, never the box.", 1.0),
        ("", "Open the box.", 0.0),
    ],
)
def test_the_strength_is_the_share_of_words_in_common(first: str, second: str, strength: float) -> None:
    assert oppose(first, second) == pytest.approx(strength, abs=1e-9)


def test_of_a_failure_what_went_wrong_is_no_advice() -> None:
    failed = replace(
        make_item("b", "Sorted the rows ascending.", outcome="failure"),
        details=ItemDetails("Sort the rows descending."),
    )
    assert measure_opposition(make_item("a", "Sort the rows descending."), failed) == 0.0
    assert measure_opposition(make_item("a", "Sort the rows ascending."), failed) == 1.0


def test_clauses_are_cut_at_their_joints() -> None:
    told = read_advice("Use tabs instead of spaces before the commit.")
    assert [(clause.do, set(clause.action)) for clause in told] == [(True, {"tab"}), (False, {"spac"})]
    assert set(told[1].given) == {"befor", "commit"}


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_have_a_strength(first: str, second: str) -> None:
    assert 0.0 <= oppose(first, second) == oppose(second, first) <= 1.0


def _reply(relation: str) -> str:
    piece = {"field": "text", "polarity": "do", "action": "open the box", "quote": "open the box"}
    other = piece | ({"polarity": "avoid"} if relation == "opposite" else {})
    fields = {"first": [piece], "second": [other], "pairs": [{"first": 1, "second": 1, "relation": relation}]}
    flags = {"first_contradicts": "no", "second_contradicts": "no"}
    return answer({name: json.dumps(value) for name, value in fields.items()} | flags)


@pytest.mark.parametrize(("relation", "strength"), [("opposite", 1.0), ("same", 0.0)])
def test_a_judges_word_counts_and_an_answer_that_cannot_be_read_is_none(
    relation: str, strength: float
) -> None:
    old, new = make_item("a", "Please open the box."), make_item("b", "Do not open the box.")
    asked = asyncio.run(judge_pairs([(new, old)], caller(Scripted(lambda _: _reply(relation)))))
    assert asked(old, new) == asked(new, old) == strength
    unread = asyncio.run(judge_pairs([(old, new)], caller(Scripted(lambda _: "no idea"))))
    assert unread(old, new) is None
