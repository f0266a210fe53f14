"""What a task is shown: floors, probation, budget, records, abstention."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.preambles.shown_block import show_block
from memtrial.memory.bank.ranking.item_key import key_text
from memtrial.memory.bank.ranking.item_pool import pool_items
from memtrial.memory.bank.ranking.ranked_items import list_hits, rank_items
from memtrial.memory.bank.ranking.ranking_profile import Floor, RankingProfile, TokenBudget
from memtrial.memory.bank.ranking.shipped_profiles import (
    PAPER,
    PROFILES,
    SEED001,
    SEED003,
    UPSTREAM,
)
from memtrial.memory.bank.ranking.tokenizer import count_tokens
from memtrial.memory.item import NativeItem
from memtrial.models.embeddings.embedding import HashingEmbedder
from tests.support.ranked import NOW, axis, bank_item, pool_of, toward

STRICT = SEED001.model_copy(update={"budget": None})
PROBATION = STRICT.model_copy(update={"probation": True})


def shown(ranking) -> list[str]:
    return [hit.id for hit in ranking.hits]


def test_nothing_is_shown_and_why() -> None:
    none = rank_items(pool_of([bank_item("a")], [[1.0]]), axis(1), PAPER.model_copy(update={"k": 0}), NOW)
    empty = rank_items(pool_items((), np.zeros((0, 4))), axis(4), SEED003, NOW)
    sleeping = replace(bank_item("a"), standing="quarantined")
    inactive = rank_items(pool_of([sleeping], [[1.0]]), axis(1), SEED003, NOW)
    doubtful = rank_items(pool_of([bank_item("a", confidence=0.7)], [[1.0]]), axis(1), SEED001, NOW)
    far = PAPER.model_copy(update={"least_similarity": Floor(least=0.5)})
    dissimilar = rank_items(pool_of([bank_item("a")], toward(0.4)), axis(2), far, NOW)
    tight = PAPER.model_copy(update={"budget": TokenBudget(tokens=3)})
    too_long = rank_items(pool_of([bank_item("a")], [[1.0]]), axis(1), tight, NOW)
    rankings = (none, empty, inactive, doubtful, dissimilar, too_long)
    assert [ranking.abstention.code for ranking in rankings] == [
        "none_asked", "empty", "inactive", "doubtful", "dissimilar", "too_long",
    ]  # fmt: skip
    assert all((ranking.hits, ranking.block) == ((), "") for ranking in rankings)
    assert doubtful.abstention.words == "a confidence above 0.7 is needed; the highest is 0.700"
    assert dissimilar.abstention.words == "a cosine at least 0.5 is needed; the highest is 0.400"
    assert too_long.abstention.words == "no item fits into at most 3 tokens (cl100k_base)"
    assert [passed.id for passed in too_long.passed] == ["a"]


@pytest.mark.parametrize(
    ("strict", "confidence", "is_shown"),
    [(True, 0.7, False), (True, 0.7000001, True), (False, 0.7, True), (False, 0.6999999, False)],
)
def test_a_floor_of_confidence_is_strict_or_not(strict: bool, confidence: float, is_shown: bool) -> None:
    profile = PAPER.model_copy(update={"least_confidence": Floor(least=0.7, strict=strict)})
    pool = pool_of([bank_item("a", confidence=confidence)], [[1.0]])
    assert bool(rank_items(pool, axis(1), profile, NOW).hits) == is_shown
    # a search lists it all the same, and says so
    (hit,) = list_hits(pool, axis(1), profile, NOW, 5)
    assert hit.withheld == (None if is_shown else "confidence")


@pytest.mark.parametrize("strict", [True, False])
def test_a_floor_of_similarity_is_decided_in_double_precision(strict: bool) -> None:
    profile = PAPER.model_copy(update={"least_similarity": Floor(least=0.6, strict=strict)})
    pool = pool_of([bank_item(id) for id in "abc"], [[3.0, 4.0], [0.6 + 1e-9, 0.8], [0.6 - 1e-9, 0.8]])
    assert shown(rank_items(pool, axis(2), profile, NOW)) == (["b"] if strict else ["a", "b"])


@pytest.mark.parametrize("standing", ["quarantined", "duplicate", "archived"])
@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_only_active_items_are_shown(profile: RankingProfile, standing) -> None:
    items = [replace(bank_item("a"), standing=standing), bank_item("b")]
    pool = pool_of(items, [[1.0, 0.0], [0.6, 0.8]])
    assert shown(rank_items(pool, axis(2), profile, NOW)) == ["b"]
    assert list_hits(pool, axis(2), profile, NOW, 1)[0].withheld == "standing"


def test_an_item_on_probation_takes_the_last_place() -> None:
    confidences = (0.9, 0.6, 0.8, 0.675, 0.75)
    items = [bank_item(id, confidence=sure) for id, sure in zip("abcde", confidences, strict=True)]
    pool = pool_of(items, toward(0.5, 0.6, 0.7, 0.8, 0.9))
    ranking = rank_items(pool, axis(6), PROBATION, NOW)
    assert shown(ranking) == ["e", "c", "d"]
    assert [hit.probation for hit in ranking.hits] == [False, False, True]
    assert shown(rank_items(pool, axis(6), STRICT, NOW)) == ["e", "c", "a"]
    # no item is below the floor: all places are for the others
    sound = pool_of([item for item in items if item.confidence > 0.7], toward(0.5, 0.7, 0.9))
    assert shown(rank_items(sound, axis(4), PROBATION, NOW)) == ["e", "c", "a"]
    # and one alone is shown where all are below
    doubtful = pool_of([item for item in items if item.confidence < 0.7], toward(0.6, 0.8))
    assert shown(rank_items(doubtful, axis(3), PROBATION, NOW)) == ["d"]


def test_probation_never_takes_in_what_other_floors_keep_out() -> None:
    profile = PROBATION.model_copy(update={"least_similarity": Floor(least=0.5)})
    items = [bank_item("a", confidence=0.9), bank_item("b", confidence=0.6)]
    items.append(replace(bank_item("c", confidence=0.6), standing="archived"))
    pool = pool_of(items, toward(0.8, 0.4, 0.9))
    assert shown(rank_items(pool, axis(4), profile, NOW)) == ["a"]


def test_what_does_not_fit_is_passed_over_and_the_next_is_tried() -> None:
    long = "Do this and that. " * 80
    items = [
        bank_item("a"),
        bank_item("b", text=long),
        bank_item("c"),
        bank_item("d", text=long),
        bank_item("e"),
    ]
    pool = pool_of(items, toward(0.9, 0.8, 0.7, 0.6, 0.5))
    profile = PAPER.model_copy(update={"budget": TokenBudget(tokens=200), "preamble": "strategies"})
    ranking = rank_items(pool, axis(6), profile, NOW)
    assert shown(ranking) == ["a", "c", "e"]
    assert [passed.id for passed in ranking.passed] == ["b", "d"]
    assert all(passed.tokens > 200 for passed in ranking.passed)
    assert ranking.passed[0].score == pytest.approx(0.8, abs=1e-9)
    assert ranking.tokens == count_tokens(ranking.block, "cl100k_base") < 200


def test_the_heading_counts_and_strict_means_fewer() -> None:
    pool = pool_of([bank_item("a")], [[1.0]])
    block = show_block([bank_item("a")], "strategies")
    exact = count_tokens(block, "words")
    assert exact == 7 + len(["1", ")", "[", "Title", "]", "Title", "a", "Steps", ":", "Do", "a", "."])
    for tokens, strict, fits in ((exact, False, True), (exact, True, False), (exact + 1, True, True)):
        budget = TokenBudget(tokens=tokens, strict=strict, tokenizer="words")
        profile = PAPER.model_copy(update={"budget": budget, "preamble": "strategies"})
        assert bool(rank_items(pool, axis(1), profile, NOW).hits) == fits


@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=8),
    tokens=st.integers(5, 120),
    strict=st.booleans(),
    probation=st.booleans(),
)
def test_no_block_is_longer_than_its_budget(lengths, tokens, strict, probation) -> None:
    budget = TokenBudget(tokens=tokens, strict=strict, tokenizer="words")
    profile = STRICT.model_copy(update={"budget": budget, "probation": probation})
    items = [
        bank_item(f"{number}", confidence=0.6 + 0.2 * (number % 2), text="word " * length)
        for number, length in enumerate(lengths)
    ]
    ranking = rank_items(pool_of(items, [[1.0]] * len(items)), axis(1), profile, NOW)
    assert budget.holds(count_tokens(ranking.block, "words"))
    assert len(ranking.hits) <= profile.k
    assert sum(hit.probation for hit in ranking.hits) <= 1
    assert ranking.block == show_block([hit.item for hit in ranking.hits], profile.preamble)
    assert (ranking.abstention is None) == bool(ranking.hits)


def test_a_place_holds_a_record_or_an_item() -> None:
    items = [
        bank_item("a2", task_id="t1"), bank_item("a1", task_id="t1"),
        bank_item("b1", task_id="t2"), bank_item("b2", task_id="t2"), bank_item("c1", task_id="t3"),
    ]  # fmt: skip
    pool = pool_of(items, [[0.8, 0.6]] * 2 + [[1.0, 0.0]] * 2 + [[0.6, 0.8]])
    assert shown(rank_items(pool, axis(2), UPSTREAM, NOW)) == ["b1", "b2"]
    two = UPSTREAM.model_copy(update={"k": 2})
    assert shown(rank_items(pool, axis(2), two, NOW)) == ["b1", "b2", "a1", "a2"]
    assert shown(rank_items(pool, axis(2), PAPER, NOW)) == ["b1", "b2", "a1"]


def test_more_places_than_items_show_all() -> None:
    pool = pool_of([bank_item("a"), bank_item("b")], toward(0.5, 0.6))
    assert shown(rank_items(pool, axis(3), PAPER.model_copy(update={"k": 50}), NOW)) == ["b", "a"]


SUBJECTS = ("CSV import", "login page", "pagination", "database migration", "image upload")
GO = (
    "Wrap each error of a Go service with its context",
    "Check errors of a Go auth handler before the response",
    "Return sentinel errors in Go and fix callers with errors.Is",
    "Log a Go error once where you handle it in a service",
    "Fix error handling in Go by deferring the rollback",
)


def hundred() -> list[BankItem]:
    """A hundred items, five on errors in Go, as seeds/001 sets the scene; the embedder sees words alone."""
    items = []
    for number in range(100):
        id = f"{number:03}"
        title = GO[number // 20] if number % 20 == 7 else f"{SUBJECTS[number % 5]}, step {number}"
        words = NativeItem(
            title, f"{title}.", f"1. Look at {title.lower()}. 2. Try it. 3. Check what changed."
        )
        items.append(replace(bank_item(id, number, 0.71 + 0.002 * (number % 40)), item=words))
    return items


def test_seed001_shows_three_of_the_five_that_fit_within_500_tokens() -> None:
    items, embedder = hundred(), HashingEmbedder(1024)
    pool = pool_items(items, embedder.vectors([key_text(item, SEED001.key) for item in items]))
    query = embedder.vectors(["fix error handling in auth service"])[0]
    ranking = rank_items(pool, query, SEED001, NOW)
    assert len(ranking.hits) == 3
    assert {hit.item.item.title for hit in ranking.hits} <= set(GO)
    assert all(hit.item.confidence > 0.7 for hit in ranking.hits)
    assert ranking.tokens is not None
    assert ranking.tokens < 500


def test_a_large_pool_gives_what_a_small_one_gives() -> None:
    """Single precision only narrows the choice: what decides is worked out in double."""
    rng = np.random.default_rng(17)
    vectors = rng.standard_normal((400, 256))
    items = [bank_item(f"{n:03}", n % 90, float(rng.uniform(0.5, 0.9))) for n in range(400)]
    query = rng.standard_normal(256)
    whole = rank_items(pool_items(items, vectors), query, SEED003, NOW)
    few = [*range(0, 400, 7), *(int(hit.id) for hit in whole.hits)]
    few = list(dict.fromkeys(few))
    part = rank_items(pool_items([items[n] for n in few], vectors[few]), query, SEED003, NOW)
    assert shown(part) == shown(whole)
    assert [hit.score for hit in part.hits] == pytest.approx([hit.score for hit in whole.hits], abs=1e-12)
