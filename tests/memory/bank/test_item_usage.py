"""Decay, promotion and archiving, schedules and deltas, at their edges."""

from dataclasses import replace

import pytest

from memtrial.memory.bank.bank_item import BankItem, ItemUses
from memtrial.memory.bank.consolidation.consolidation_policy import Citation, ConsolidationPolicy
from memtrial.memory.bank.consolidation.consolidation_schedule import (
    AfterBatch,
    BankActivity,
    EachDay,
    EveryItems,
    Never,
    read_schedule,
)
from memtrial.memory.bank.consolidation.dirty_clusters import find_dirty_clusters
from memtrial.memory.bank.consolidation.item_usage import (
    CitedItem,
    count_citations,
    decay_confidence,
    find_archiving,
    find_frequent,
    find_promotion,
)
from tests.support.bank_examples import DAY, NOW, make_item

POLICY = ConsolidationPolicy()
UNUSED = CitedItem()


@pytest.mark.parametrize(
    ("days", "confidence"), [(0.0, 0.8), (90.0, 0.4), (180.0, 0.2), (45.0, 0.8 * 2**-0.5), (-5.0, 0.8)]
)
def test_confidence_halves_in_ninety_days_and_what_is_stored_stays(days: float, confidence: float) -> None:
    item = make_item("a", confidence=0.8, days=days)
    assert decay_confidence(item, NOW, 90.0) == pytest.approx(confidence, abs=1e-9)
    assert item.confidence == 0.8
    cited = replace(item, uses=ItemUses(cited=1, last_cited=NOW - 90 * DAY))
    assert decay_confidence(cited, NOW, 90.0) == pytest.approx(
        0.8 if days < 0 else 0.8 * 0.5 ** (min(days, 90.0) / 90)
    )


@pytest.mark.parametrize(
    ("item", "archived"),
    [
        (make_item("a", days=180.0), False),
        (make_item("a", days=180.001), True),
        (make_item("a", days=360.0, outcome="failure"), False),
        (make_item("a", days=360.001, outcome="failure"), True),
        (replace(make_item("a", days=400.0), pinned=True), False),
        (replace(make_item("a", days=400.0), uses=ItemUses(cited=1, last_cited=NOW - 399 * DAY)), False),
        (replace(make_item("a", days=400.0), uses=ItemUses(retrieved=9, shown=9)), True),
    ],
)
def test_archived_is_what_was_never_cited_and_is_old(item: BankItem, archived: bool) -> None:
    assert bool(find_archiving(item, UNUSED, NOW, POLICY)) is archived


def test_archived_is_only_what_is_trusted_no_more() -> None:
    slow = replace(POLICY, half_life_days=1e9, keep_confidence=0.3)
    assert not find_archiving(make_item("a", confidence=0.3001, days=200.0), UNUSED, NOW, slow)
    assert find_archiving(make_item("a", confidence=0.2999, days=200.0), UNUSED, NOW, slow)
    assert not find_archiving(make_item("a", days=400.0), CitedItem(recent=1), NOW, POLICY)


@pytest.mark.parametrize(
    ("wins", "tasks", "promoted"), [(3, 2, True), (2, 2, False), (3, 1, False), (9, 9, True)]
)
def test_promotion_needs_so_many_wins_on_so_many_tasks(wins: int, tasks: int, promoted: bool) -> None:
    cited = CitedItem(0, wins, tasks)
    assert bool(find_promotion(make_item("a"), cited, POLICY)) is promoted
    assert not find_promotion(replace(make_item("a"), pinned=True), cited, POLICY)


def test_citations_are_counted_in_their_window_and_wins_by_their_tasks() -> None:
    citations = [
        Citation("a", "one", NOW - 90 * DAY, True),
        Citation("a", "one", NOW - 90.001 * DAY, True),
        Citation("a", "two", NOW, False),
        Citation("a", "two", NOW + 1, False),
        Citation("b", "three", NOW - 400 * DAY, True),
    ]
    counted = count_citations(citations, NOW, 90.0)
    assert counted == {"a": CitedItem(2, 2, 1), "b": CitedItem(0, 1, 1)}
    assert count_citations(citations[::-1], NOW, 90.0) == counted


@pytest.mark.parametrize(
    ("counts", "frequent"),
    [
        ((5,), "a"),
        ((4,), ""),
        ((9, 8, 7, 6), "a"),
        ((9, 8, 7, 6, 5), "ab"),
        ((9, 9, 9, 6), "abc"),
        ((9, 4, 4, 4, 4, 4, 4, 4), "a"),
        ((), ""),
    ],
)
def test_the_top_quarter_is_rounded_up_and_ties_are_in(counts: tuple[int, ...], frequent: str) -> None:
    names = "abcdefgh"[: len(counts)]
    cited = {name: CitedItem(count) for name, count in zip(names, counts, strict=True)}
    assert find_frequent([make_item(name) for name in names], cited, POLICY) == frozenset(frequent)


@pytest.mark.parametrize(
    ("text", "schedule", "due", "not_due"),
    [
        ("off", Never(), None, BankActivity(1_000, True, 0.0)),
        ("every 20", EveryItems(20), BankActivity(20, False, NOW), BankActivity(19, True, 0.0)),
        ("batch", AfterBatch(), BankActivity(1, True, NOW), BankActivity(0, True, 0.0)),
        ("batch", AfterBatch(), BankActivity(1, True, NOW), BankActivity(99, False, 0.0)),
        ("daily", EachDay(), BankActivity(0, False, NOW - DAY), BankActivity(99, True, NOW - DAY + 1)),
    ],
)
def test_each_schedule_is_due_when_it_says(
    text: str, schedule: object, due: BankActivity | None, not_due: BankActivity
) -> None:
    read = read_schedule(text)
    assert read == schedule
    assert due is None or read.is_due(due, NOW)
    assert not read.is_due(not_due, NOW)


@pytest.mark.parametrize("text", ["", "every 0", "every", "hourly", "every 20 ", "Off"])
def test_another_schedule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="'off', 'every 20', 'batch' or 'daily'"):
        read_schedule(text)


def test_only_clusters_with_a_new_episode_are_written_anew() -> None:
    episodes = {"a": ["1", "2"], "b": ["3"], "c": ["4"], "d": []}
    written = {"a": ["1"], "b": ["3", "9"], "e": ["5"]}
    assert find_dirty_clusters(episodes, written) == ("a", "c")
    assert find_dirty_clusters(episodes, episodes) == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"duplicate_from": 1.1},
        {"contradict_above": float("nan")},
        {"half_life_days": 0.0},
        {"most_related": 0},
    ],
)
def test_a_policy_that_means_nothing_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} of a consolidation"):
        replace(POLICY, **wrong)  # type: ignore[arg-type]
