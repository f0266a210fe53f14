"""Searching a bank that is open: it is level with its log, and its embedder is its own."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.confidence.logged_signals import FollowedProject, follow_project, learn_confidences
from memtrial.memory.bank.events.bank_events import (
    ConfidenceSet,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    SignalSeen,
    StandingSet,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter, get_item
from memtrial.memory.bank.index.embedded_texts import KeyText, embed_texts
from memtrial.memory.bank.ranking.item_key import key_text
from memtrial.memory.bank.ranking.item_pool import ItemPool, pool_items
from memtrial.memory.bank.ranking.shipped_profiles import PAPER, SEED001, SEED003
from memtrial.memory.bank.ranking.tokenizer import count_tokens
from memtrial.memory.bank.search.bank_search import SHOWN_TOKENS, BankSearch, note_use
from memtrial.memory.bank.search.live_pool import LivePool
from memtrial.memory.item import NativeItem
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array, HashingEmbedder
from tests.support.event_bank import CAUSE, open_log
from tests.support.ranked import NOW, bank_item

PROJECT = "org/team/shop"
HASHED = HashingEmbedder(64)


@pytest.fixture
def log(tmp_path: Path) -> BankLog:
    return open_log(tmp_path)


@dataclass(frozen=True)
class Renamed:
    """Hashed words under any name, and what was asked for."""

    space: str
    dimensions: int
    asked: list[str] = field(default_factory=list)

    async def embed(self, texts: Sequence[str]) -> Array:
        self.asked.extend(texts)
        return HashingEmbedder(self.dimensions).vectors(texts)


def of_project(item: BankItem, project: str = PROJECT) -> BankItem:
    return replace(item, origin=replace(item.origin, project=project))


def add(log: BankLog, *items: BankItem, keys: tuple[str, ...] = ("query", "item")) -> None:
    texts = [KeyText(item.id, key, key_text(item, key)) for item in items for key in keys]
    vectors = asyncio.run(embed_texts(log, HASHED, texts, CAUSE))
    log.append([*(ItemAdded(item) for item in items), *vectors], CAUSE)


def search_of(log: BankLog, profile=SEED003, project: str = PROJECT) -> BankSearch:
    return BankSearch(log, HASHED, profile, ItemFilter(project), lambda: NOW)


def ranked(search: BankSearch, query: str) -> list[str]:
    return [hit.id for hit in asyncio.run(search.rank(query)).hits]


def test_each_change_of_the_log_is_seen_by_the_next_search(log: BankLog) -> None:
    search = search_of(log)
    assert asyncio.run(search.rank("soap")).abstention.code == "empty"
    add(log, of_project(bank_item("a", text="buy soap")), of_project(bank_item("b", text="sort books")))
    assert ranked(search, "buy soap") == ["a", "b"]
    log.append([StandingSet("a", "quarantined")], CAUSE)
    assert ranked(search, "buy soap") == ["b"]
    assert [hit.withheld for hit in asyncio.run(search.find("buy soap", 5))] == ["standing", None]
    log.append([StandingSet("a", "active")], CAUSE)
    add(log, of_project(bank_item("c", text="buy soap and tea")))
    assert ranked(search, "buy soap") == ["a", "c", "b"]
    log.append([ConfidenceSet("a", 0.1)], CAUSE)
    hits = asyncio.run(search.rank("buy soap")).hits
    assert {hit.id: hit.item.confidence for hit in hits}["a"] == 0.1
    assert ranked(search, "buy soap") == ranked(search_of(log), "buy soap")


def test_other_words_are_found_at_once(log: BankLog) -> None:
    add(log, of_project(bank_item("a", text="buy soap")), of_project(bank_item("b", text="sort books")))
    search = search_of(log)
    assert ranked(search, "paint the fence")
    item = get_item(log, "a")
    words = NativeItem("Paint", "On fences", "Paint the fence")
    log.append([ItemRevised("a", words, item.details)], CAUSE)
    assert ranked(search, "paint the fence")[0] == "a"
    (hit,) = [hit for hit in asyncio.run(search.find("buy soap", 5)) if hit.id == "a"]
    assert abs(hit.parts[0].figure) < 0.2
    log.append([ItemRolledBack("a", 1)], CAUSE)
    assert ranked(search, "buy soap")[0] == "a"


@pytest.mark.parametrize("profile", [PAPER, SEED003, SEED001], ids=lambda profile: profile.name)
def test_a_text_without_a_vector_is_embedded_here(log: BankLog, profile) -> None:
    """A bank that embedded other texts, or none, is searched as if it had embedded these."""
    items = [of_project(bank_item(id, text=f"buy {id}")) for id in ("soap", "tea")]
    log.append([ItemAdded(item) for item in items], CAUSE)
    search = search_of(log, profile)
    before = asyncio.run(search.rank("query of tea buy Title tea"))
    log.append([SignalSeen("soap", "shown")], CAUSE)
    assert [hit.id for hit in before.hits] == ["tea", "soap"]
    assert before.hits[0].parts[0].figure > 0.4
    assert ranked(search, "query of tea buy Title tea") == ["tea", "soap"]
    texts = [KeyText(item.id, profile.key, key_text(item, profile.key)) for item in items]
    log.append(asyncio.run(embed_texts(log, HASHED, texts, CAUSE)), CAUSE)
    after = asyncio.run(search.rank("query of tea buy Title tea"))
    assert [hit.parts for hit in after.hits] == [hit.parts for hit in before.hits]


def test_a_text_is_embedded_once_and_again_where_it_is_another(log: BankLog) -> None:
    log.append([ItemAdded(of_project(bank_item(id, text=f"buy {id}"))) for id in ("soap", "tea")], CAUSE)
    asked: list[str] = []
    search = BankSearch(log, Renamed(HASHED.space, 64, asked), SEED003, ItemFilter(PROJECT), lambda: NOW)
    ranked(search, "paint the fence")
    assert len(asked) == 3
    log.append([SignalSeen("tea", "shown")], CAUSE)
    assert ranked(search, "paint the fence")
    assert len(asked) == 3
    words = NativeItem("Paint", "On fences", "Paint the fence")
    log.append([ItemRevised("tea", words, get_item(log, "tea").details)], CAUSE)
    assert ranked(search, "paint the fence")[0] == "tea"
    assert asked[3:] == ["Paint\nOn fences\nPaint the fence"]
    log.append([ItemRolledBack("tea", 1)], CAUSE)
    (hit,) = [hit for hit in asyncio.run(search.find("paint the fence", 5)) if hit.id == "tea"]
    assert hit.parts[0].figure < 0.5
    assert len(asked) == 4


def test_items_without_any_text_are_near_to_nothing(log: BankLog) -> None:
    bare = of_project(bank_item("a"))
    log.append([ItemAdded(replace(bare, origin=replace(bare.origin, query=" ")))], CAUSE)
    (hit,) = asyncio.run(search_of(log, PAPER).rank("Do")).hits
    assert hit.score == 0.0


def test_a_pool_that_was_kept_level_is_the_pool_made_anew(log: BankLog) -> None:
    kept = LivePool(log, ItemFilter(PROJECT), "item")
    for number in range(6):
        add(log, of_project(bank_item(f"i{number}", text=f"step {number}")))
        log.append([SignalSeen(f"i{number // 2}", "cited", outcome="success")], CAUSE)
        pool = kept.refresh()
    assert kept.refresh() is pool
    assert_level(log, pool)
    before, figures = list(pool.items), [column.copy() for column in pool.figures]
    # more than there was room for
    add(log, *(of_project(bank_item(f"j{number}", confidence=number / 100)) for number in range(90)))
    log.append([StandingSet("j7", "archived"), ConfidenceSet("j8", 0.9)], CAUSE)
    assert_level(log, kept.refresh())
    # whoever has the pool of before still has that
    assert list(pool.items) == before
    assert all(np.array_equal(*pair) for pair in zip(pool.figures, figures, strict=True))
    assert len(kept.refresh().items) == 96


def assert_level(log: BankLog, pool: ItemPool) -> None:
    """A pool is the one that is made of the log at once, but for the order of its items."""
    fresh = LivePool(log, ItemFilter(PROJECT), "item").refresh()
    places = [fresh.places[item.id] for item in pool.items]
    assert sorted(places) == list(range(len(fresh.items)))
    assert [fresh.items[place] for place in places] == pool.items[:]
    assert [item.id for item in pool.items] == list(pool.ids)
    assert list(pool.places.values()) == list(range(len(pool.items)))
    for name in ("vectors", "single", "lengths", "scales", "active"):
        assert np.array_equal(getattr(fresh, name)[places], getattr(pool, name))
    for column, wanted in zip(pool.figures, fresh.figures, strict=True):
        assert np.array_equal(column, wanted[places])
    items = [get_item(log, item.id) for item in pool.items]
    laid = pool_items(items, pool.vectors)
    assert items == pool.items[:]
    for name in ("lengths", "scales", "active"):
        assert np.array_equal(getattr(laid, name), getattr(pool, name))
    for column, wanted in zip(pool.figures, laid.figures, strict=True):
        assert np.array_equal(column, wanted)


def test_a_text_is_absent_until_it_has_a_vector(log: BankLog) -> None:
    add(log, of_project(bank_item("a", text="buy soap")), of_project(bank_item("b")))
    kept = LivePool(log, ItemFilter(PROJECT), "item")
    assert kept.refresh().lengths.all()
    assert kept.absent() == ()
    words = NativeItem("Paint", "On fences", "Paint the fence")
    log.append([ItemRevised("a", words, get_item(log, "a").details)], CAUSE)
    assert kept.refresh().lengths.tolist() == [0.0, pytest.approx(1.0)]
    assert not kept.refresh().vectors[0].any()
    (text,) = kept.absent()
    kept.supply({text: np.ones(64, dtype=np.float32)})
    assert kept.refresh().vectors[0].all()
    assert kept.absent() == ()
    log.append(asyncio.run(embed_texts(log, HASHED, [KeyText("a", "item", text)], CAUSE)), CAUSE)
    kept.refresh()
    kept.supply({text: np.ones(64, dtype=np.float32)})
    assert_level(log, kept.refresh())


def test_an_item_that_is_asked_for_no_longer_leaves_the_pool(log: BankLog) -> None:
    add(log, *(of_project(bank_item(id, confidence=0.8)) for id in "abc"))
    kept = LivePool(log, ItemFilter(PROJECT, least_confidence=0.5), "item")
    before = kept.refresh()
    log.append([ConfidenceSet("b", 0.1)], CAUSE)
    assert [item.id for item in kept.refresh().items] == ["a", "c"]
    assert [item.id for item in before.items] == ["a", "b", "c"]
    log.append([ConfidenceSet("b", 0.6)], CAUSE)
    pool = kept.refresh()
    assert {item.id: item.confidence for item in pool.items} == {"a": 0.8, "b": 0.6, "c": 0.8}
    assert pool.items[-1].id == pool.ids[-1]


def test_a_project_sees_its_own_and_what_is_above_it(log: BankLog) -> None:
    for id, project in (("a", PROJECT), ("b", "org/team"), ("c", "org/team/other"), ("d", "")):
        add(log, of_project(bank_item(id), project))
    assert sorted(ranked(search_of(log), "Do")) == ["a", "b"]
    assert ranked(search_of(log, project=""), "Do") == ["d"]


@pytest.mark.parametrize(("space", "dimensions"), [("other/64", 64), (HASHED.space, 32)])
def test_another_embedder_is_refused(log: BankLog, space: str, dimensions: int) -> None:
    add(log, of_project(bank_item("a")))
    other = BankSearch(log, Renamed(space, dimensions), PAPER, ItemFilter(PROJECT))
    with pytest.raises(MemoryFault, match=r"the bank's embedder is 'hashing.*/64' with 64 numbers; got "):
        asyncio.run(other.rank("x"))


def test_what_was_shown_is_told_to_the_bank_and_lifts_nothing(log: BankLog) -> None:
    add(log, of_project(bank_item("a", confidence=0.8)))
    ranking = asyncio.run(search_of(log).rank("Do"))
    log.append(note_use(ranking, 0.012, "task-9"), CAUSE)
    uses = get_item(log, "a").uses
    assert (uses.retrieved, uses.shown, uses.cited) == (1, 1, 0)
    assert log.read("SELECT metric, value FROM measures") == [
        ("retrieve_ms", 12.0),
        (SHOWN_TOKENS, count_tokens(ranking.block, "cl100k_base")),
    ]
    assert learn_confidences(log, PROJECT) == ()


def test_confidences_follow_from_what_the_log_holds(log: BankLog) -> None:
    add(log, of_project(bank_item("a", confidence=0.5)), of_project(bank_item("b", confidence=0.8)))
    add(log, of_project(bank_item("z", confidence=0.5), "org/team/other"))
    log.append([SignalSeen("a", "cited", "t", "success"), SignalSeen("z", "cited", "t", "success")], CAUSE)
    (event,) = learn_confidences(log, PROJECT)
    assert event == ConfidenceSet("a", pytest.approx((1 + 10 / 17) / (2 + 10 / 17), abs=1e-9))
    log.append([event], CAUSE)
    assert learn_confidences(log, PROJECT) == ()
    log.append([SignalSeen("a", "explicit", outcome="success"), SignalSeen("b", "cited")], CAUSE)
    changed = {event.item_id: event.confidence for event in learn_confidences(log, PROJECT)}
    total = 7 / 10 + 2 * 6 / 11
    assert changed == {
        "a": pytest.approx(2 / 3, abs=1e-9),
        "b": pytest.approx((1.6 + 6 / 11 / total) / (2 + 6 / 11 / total), abs=1e-9),
    }
    followed = follow_project(log, PROJECT)
    assert (followed.weights.usage.alpha, followed.weights.outcome.alpha) == (6, 6)
    assert followed.uses["a"].wins == get_item(log, "a").uses.wins == 1


def test_signals_that_are_followed_as_they_come_are_those_of_the_whole_log(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    add(log, of_project(bank_item("a"), PROJECT), of_project(bank_item("z"), "org/team/other"))
    followed = FollowedProject(log, PROJECT)
    for name in "bcd":
        add(log, of_project(bank_item(name), PROJECT))
        log.append(
            [SignalSeen(name, "cited", "t", "success"), SignalSeen("a", "cited", "t", "failure")], CAUSE
        )
        log.append([SignalSeen("z", "cited", "t"), SignalSeen(name, "explicit", outcome="failure")], CAUSE)
        followed.catch_up()
        whole, signals = follow_project(log, PROJECT), followed.signals
        assert (signals.posteriors, signals.uses) == (whole.posteriors, whole.uses)
        assert tuple(signals.history) == whole.history
    assert (signals.uses["a"].losses, len(signals.history), signals.posteriors.keys()) == (3, 4, set("abcd"))
