"""The fluency distance ranks what a reader would: foreign texts, rewordings, broken ones, marks."""

import re
from functools import cache
from itertools import pairwise, product
from statistics import fmean

import pytest
from numpy.random import default_rng

from memtrial.perturbations.language.fluency import Counts, Fluency
from memtrial.perturbations.language.word_spans import reword
from tests.support import worked

SLOTS = {
    (source, number): [worked.slots(source, schema)[number] for schema in worked.SCHEMAS]
    for source in worked.SOURCES
    for number in range(20)
}
TEXT = SLOTS["handwritten", 5][0]
REWORDED = """# Memory Item 1
## Title Reproduce the bug prior to editing the code
## Description Repairing software that has a failing test.
## Content Execute the failing test on its own and go through the entire traceback, rather than only its final
line. Note which function raised the error. Edit this function only afterwards; other tests are often broken
by changes elsewhere."""
BROKEN = """# Memory Item 1
## Title Never reproduce the bug after editing the code
## Description Software repair without a failing test.
## Content Never run the failing test alone and never read the whole traceback, not just its never last line.
Avoid write down which function raised the error. Only never then edit that function; changes elsewhere never
tend to break same tests."""


@cache
def model() -> Fluency:
    return Fluency({f"{source} {number}": items for (source, number), items in SLOTS.items()})


def masked(item: str) -> str:
    rng = default_rng(0)
    return reword(item, lambda word: "X" * len(word.text) if rng.random() < 0.5 else word.text)


def fragments(item: str) -> str:
    return re.sub(r"(\S+ \S+ \S+) \S+", r"\1", item)


def mean_of(damage) -> float:
    return fmean(model().distance([items[0]], [damage(key, items[0])]) or 0.0 for key, items in SLOTS.items())


def test_the_order_is_a_readers() -> None:
    foreign = mean_of(lambda key, _: SLOTS[key[0], (key[1] + 7) % 20][0])
    fragment, marks = mean_of(lambda _, item: fragments(item)), mean_of(lambda _, item: masked(item))
    rewording, broken = (model().distance([TEXT], [other]) for other in (REWORDED, BROKEN))
    assert rewording is not None
    assert broken is not None
    assert abs(foreign) < 0.25
    assert abs(foreign) < fragment
    assert rewording < broken - 0.3
    assert max(broken, fragment) < marks


def test_another_item_of_the_run_is_no_more_at_home_than_the_slots_own() -> None:
    """Each side is judged by a model that learnt neither, so that to and fro is the same distance."""
    one, other = SLOTS["handwritten", 0][0], SLOTS["handwritten", 9][0]
    to, fro = model().distance([one], [other]), model().distance([other], [one])
    assert to is not None
    assert to == pytest.approx(-(fro or 0.0), abs=1e-3)


def test_it_is_the_same_each_time_and_nothing_for_the_same_text() -> None:
    first = model().distance([TEXT], [BROKEN])
    assert model().distance([TEXT], [TEXT]) == 0.0
    assert model().distance([TEXT], [BROKEN]) == first


def test_without_words_or_records_there_is_no_distance() -> None:
    assert model().distance([TEXT], []) is None
    assert model().distance([TEXT], ["## Content"]) is None
    assert Fluency({"own": [TEXT]}).distance([TEXT], [BROKEN]) is None


def test_what_was_asked_before_changes_no_distance() -> None:
    records = {f"{source} {number}": items for (source, number), items in SLOTS.items() if number < 4}
    texts = [list(items) for items in records.values()]
    pairs = [*pairwise(texts), (texts[0], [REWORDED]), (["x"], ["y"])]
    fresh = [Fluency(records).distance(*pair) for pair in pairs]
    asked = Fluency(records)
    assert [asked.distance(*pair) for pair in (*pairs, *pairs)] == [*fresh, *fresh]
    assert len(set(fresh)) > 3


def test_the_chances_of_what_may_follow_add_up_to_one() -> None:
    counts = Counts()
    for text in ("a b a c", "a b b a", "c a b"):
        counts.learn(tuple(text.split()))
    counts.learn(tuple("cccc"))
    counts.leave_out([tuple("cccc")])
    for before in ("a b", "b a", "c c", "a a"):
        chances = [counts.chance((*before.split(), sign), 1 / 3) for sign in "abc"]
        assert sum(chances) == pytest.approx(1)


def test_a_text_that_is_left_out_is_as_one_that_was_never_learnt() -> None:
    whole, never = Counts(), Counts()
    for text in ("abacab", "abbacc", "cabbca"):
        whole.learn(tuple(text))
        never.learn(tuple(text))
    for text in ("aabbc", "aabcd"):
        whole.learn(tuple(text))
    whole.leave_out([tuple("abacab")])  # what is left out next is all that is
    whole.leave_out([tuple("aabbc"), tuple("aabcd")])
    for run in product("abcd", repeat=3):
        assert whole.chance(run, 1 / 4) == never.chance(run, 1 / 4)
