"""Choosing in turn, against a slow double that knows nothing of single precision."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.bank.bank_item import ItemUses
from memtrial.memory.bank.ranking.item_pool import pool_items
from memtrial.memory.bank.ranking.ranked_items import list_hits, rank_items
from memtrial.memory.bank.ranking.ranking_profile import (
    ConfidenceForm,
    DiversityForm,
    RankingProfile,
    RecencyForm,
    ScoreWeights,
)
from memtrial.memory.bank.ranking.shipped_profiles import PAPER, SEED000, SEED003
from tests.support.ranked import DAY, NOW, axis, bank_item, pool_of, toward

BLEND = ScoreWeights(similarity=0.65, recency=0.15, confidence=0.2)


def plain_cosine(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a.astype(np.longdouble), b.astype(np.longdouble)
    length = np.sqrt(a @ a) * np.sqrt(b @ b)
    return float(a @ b / length) if length > 0 else 0.0


def choose_slowly(pool, query, profile: RankingProfile) -> list[str]:
    """Maximal marginal relevance as seeds/003 prints it, with the penalty once."""
    weights, form = profile.weights, profile.diversity
    scores = {}
    for place, item in enumerate(pool.items):
        age = max(NOW - item.created, 0.0) / DAY
        rate = 0.5 ** (age / 45) if profile.recency.kind == "half_life" else np.exp(-age / 45)
        near = plain_cosine(pool.vectors[place], query)
        scores[place] = (
            weights.similarity * near + weights.recency * rate + weights.confidence * item.confidence
        )
    chosen: list[int] = []
    while len(chosen) < min(profile.k, len(pool.items)):
        values = {}
        for place in scores.keys() - set(chosen):
            cosines = (plain_cosine(pool.vectors[place], pool.vectors[other]) for other in chosen)
            near = max(cosines, default=0.0)
            if form.kind == "penalty":
                values[place] = scores[place] - form.weight * near
            else:
                values[place] = form.weight * scores[place] - (1 - form.weight) * near
        top = max(values.values())
        equal = [place for place, value in values.items() if value >= top - 1e-9]
        chosen.append(min(equal, key=lambda place: pool.items[place].id))
    return [pool.items[place].id for place in chosen]


@st.composite
def pools(draw):
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    part = st.integers(-3, 3)
    rows = draw(st.lists(st.lists(part, min_size=d, max_size=d), min_size=n, max_size=n))
    ids = draw(st.permutations([f"item-{number}" for number in range(n)]))
    items = [
        bank_item(id, draw(st.sampled_from((0, 0, 10, 45))), draw(st.sampled_from((0.2, 0.7, 0.7, 0.9))))
        for id in ids
    ]
    query = np.array(draw(st.lists(part, min_size=d, max_size=d)), dtype=np.float64)
    return items, rows, query


@given(
    drawn=pools(),
    k=st.integers(1, 6),
    kind=st.sampled_from(["penalty", "lambda"]),
    weight=st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]),
    recency=st.sampled_from(["half_life", "efold"]),
)
def test_each_turn_takes_the_best_of_those_left(drawn, k, kind, weight, recency):
    items, rows, query = drawn
    profile = RankingProfile(
        name="drawn",
        k=k,
        weights=BLEND,
        recency=RecencyForm(kind=recency),
        diversity=DiversityForm(kind=kind, weight=weight),
    )
    pool = pool_of(items, rows)
    ranking = rank_items(pool, query, profile, NOW)
    assert [hit.id for hit in ranking.hits] == choose_slowly(pool, query, profile)


@given(drawn=pools(), seed=st.randoms(use_true_random=False))
def test_the_order_of_a_pool_changes_nothing(drawn, seed) -> None:
    items, rows, query = drawn
    order = list(range(len(items)))
    seed.shuffle(order)
    for profile in (SEED003, SEED000, PAPER):
        straight = rank_items(pool_of(items, rows), query, profile, NOW)
        mixed = rank_items(
            pool_of([items[place] for place in order], [rows[place] for place in order]), query, profile, NOW
        )
        assert straight == mixed


@given(drawn=pools())
def test_parts_sum_to_the_score_that_decided(drawn) -> None:
    items, rows, query = drawn
    pool = pool_of(items, rows)
    for profile in (SEED003, SEED000, PAPER):
        for hit in rank_items(pool, query, profile, NOW).hits:
            assert hit.score == pytest.approx(sum(part.figure * part.weight for part in hit.parts), abs=1e-12)
            assert [part.name for part in hit.parts] == ["similarity", "recency", "confidence", "diversity"]


def test_the_printed_score_to_nine_places() -> None:
    """.65 × .9 + .15 × e^(-30/45) + .20 × .76, then less .10 × the cosine with the first."""
    vectors = [[0.9, np.sqrt(0.19), 0.0], [0.8, 0.6, 0.0], [0.5, 0.0, np.sqrt(0.75)]]
    items = [bank_item("a", 30, 0.76), bank_item("b", 0, 0.8), bank_item("c", 90, 0.7)]
    pool = pool_of(items, vectors)
    hits = {hit.id: hit for hit in rank_items(pool, axis(3), SEED003, NOW).hits}
    first, second, third = hits["b"], hits["a"], hits["c"]
    assert first.score == pytest.approx(0.65 * 0.8 + 0.15 + 0.16, abs=1e-9)
    near = 0.9 * 0.8 + np.sqrt(0.19) * 0.6
    wanted = 0.65 * 0.9 + 0.15 * 0.513417119032592 + 0.2 * 0.76 - 0.1 * near
    assert second.score == pytest.approx(wanted, abs=1e-9)
    assert third.score == pytest.approx(0.65 * 0.5 + 0.15 * 0.1353352832366127 + 0.14 - 0.1 * 0.45, abs=1e-9)
    for hit, place in ((first, 1), (second, 0), (third, 2)):
        exact = plain_cosine(pool.vectors[place], axis(3))
        assert hit.parts[0].points == pytest.approx(0.65 * exact, abs=1e-12)
    assert second.words.startswith(
        "0.716 = 0.65 × 0.900 similarity + 0.15 × 0.513 recency + 0.20 × 0.760 conf"
    )


def test_seed000_takes_the_bounded_odds() -> None:
    items = [bank_item("a", 45, 0.1, ItemUses(cited=15, wins=12, losses=3))]
    (hit,) = rank_items(pool_of(items, [[1.0, 0.0]]), axis(2), SEED000, NOW).hits
    assert hit.score == pytest.approx(0.5 + 0.2 * 0.5 + 0.3 * 13 / 17, abs=1e-9)
    assert hit.odds == pytest.approx(1.1786549963416462, abs=1e-12)


@pytest.mark.parametrize("order", tuple(permutations(("a", "b", "c"))))
def test_equal_items_go_by_id(order: tuple[str, ...]) -> None:
    pool = pool_of([bank_item(id) for id in order], [[0.6, 0.8]] * 3)
    assert [hit.id for hit in rank_items(pool, axis(2), PAPER, NOW).hits] == ["a", "b", "c"]


def test_within_a_billionth_is_equal_and_beyond_it_is_not() -> None:
    def firsts(gap: float) -> str:
        items = [bank_item("b", confidence=0.5 + gap), bank_item("a", confidence=0.5)]
        profile = RankingProfile(name="c", k=1, weights=ScoreWeights(similarity=0.0, confidence=1.0))
        return rank_items(pool_of(items, [[1.0]] * 2), axis(1), profile, NOW).hits[0].id

    assert (firsts(0.9e-9), firsts(1.2e-9)) == ("a", "b")


def test_near_copies_are_chosen_last_and_a_penalty_of_a_tenth_is_little() -> None:
    """At a cosine of .87 the penalty is .087: it decides only between scores that are nearer than that."""
    vectors = [[1.0, 0.0, 0.0], [0.87, np.sqrt(1 - 0.87**2), 0.0], [0.0, 0.0, 1.0]]
    items = [bank_item("a", confidence=0.9), bank_item("b", confidence=0.9), bank_item("c", confidence=0.82)]
    only = ScoreWeights(similarity=0.0, confidence=1.0)
    kept = RankingProfile(name="p", k=2, weights=only, diversity=DiversityForm(weight=0.1))
    pool = pool_of(items, vectors)
    hits = rank_items(pool, axis(3), kept, NOW).hits
    assert [hit.id for hit in hits] == ["a", "c"]
    plain = kept.model_copy(update={"diversity": DiversityForm()})
    assert [hit.id for hit in rank_items(pool, axis(3), plain, NOW).hits] == ["a", "b"]
    assert hits[1].parts[3].figure == pytest.approx(0.0, abs=1e-9)
    strong = kept.model_copy(update={"diversity": DiversityForm(kind="lambda", weight=0.7)})
    (first, second) = rank_items(pool, axis(3), strong, NOW).hits
    assert (first.score, second.id) == (pytest.approx(0.7 * 0.9, abs=1e-9), "c")


def test_a_zero_query_or_vector_is_near_to_nothing() -> None:
    pool = pool_of([bank_item("a"), bank_item("b")], [[0.0, 0.0], [1.0, 0.0]])
    assert [hit.score for hit in rank_items(pool, np.zeros(2), PAPER, NOW).hits] == [0.0, 0.0]
    assert [hit.score for hit in rank_items(pool, axis(2), PAPER, NOW).hits] == [1.0, 0.0]


def test_a_search_lists_by_score_without_diversity() -> None:
    pool = pool_of([bank_item(id) for id in "abcd"], toward(0.1, 0.9, 0.5, 0.7))
    hits = list_hits(pool, axis(5), SEED003, NOW, 3)
    assert [hit.id for hit in hits] == ["b", "d", "c"]
    assert all(hit.parts[3].points == 0 for hit in hits)
    assert list_hits(pool, axis(5), SEED003, NOW, 0) == ()
    assert len(list_hits(pool, axis(5), SEED003, NOW, 99)) == 4


def test_figures_that_are_no_numbers_are_refused() -> None:
    pool = pool_of([bank_item("a")], [[1.0, 0.0]])
    for query in (np.array([np.nan, 0.0]), np.array([np.inf, 0.0])):
        with pytest.raises(ValueError, match="finite"):
            rank_items(pool, query, PAPER, NOW)
    with pytest.raises(ValueError, match=r"shape \(2,\); got \(3,\)"):
        rank_items(pool, np.ones(3), PAPER, NOW)
    with pytest.raises(ValueError, match="clock"):
        rank_items(pool, axis(2), PAPER, float("nan"))
    with pytest.raises(ValueError, match="finite"):
        pool_of([bank_item("a")], [[np.nan]])
    with pytest.raises(ValueError, match="one vector an item"):
        pool_items([bank_item("a")], np.ones((2, 1)))
    with pytest.raises(ValueError, match="stands twice"):
        pool_of([bank_item("a"), bank_item("a")], [[1.0], [1.0]])
    with pytest.raises(ValueError, match="finite"):
        pool_of([bank_item("a", confidence=float("nan"))], [[1.0]])


def test_a_confidence_form_with_usage_is_only_taken_where_it_is_named() -> None:
    items = [
        bank_item("a", confidence=0.9),
        bank_item("b", confidence=0.5, uses=ItemUses(cited=99, losses=99)),
    ]
    only = ScoreWeights(similarity=0.0, confidence=1.0)
    pool = pool_of(items, [[1.0]] * 2)
    stored = RankingProfile(name="s", k=1, weights=only)
    usage = stored.model_copy(update={"confidence": ConfidenceForm(kind="usage")})
    assert rank_items(pool, axis(1), stored, NOW).hits[0].id == "a"
    assert rank_items(pool, axis(1), usage, NOW).hits[0].id == "b"


@pytest.mark.parametrize("kind", ["penalty", "lambda"])
def test_many_equal_items_are_compared_together_and_the_same_are_chosen(kind) -> None:
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, 5, 60)
    ids = [f"item-{number:02}" for number in rng.permutation(60)]
    # tied, at the edge of a tie, beyond it
    trusted = 0.5 + np.array([0.0, 4e-9, 5e-9, 6e-9])[rng.integers(0, 4, 60)]
    items = [bank_item(id, 10, float(trust)) for id, trust in zip(ids, trusted, strict=True)]
    rows = np.array([[1.0, 0.2, 0.0], [1.0, 0.2, 1e-6], [0.0, 0.0, 0.0], [0.3, 1.0, 0.0], [0.3, 0.0, 1.0]])[
        kinds
    ]
    for weight in (0.0, 0.1, 1.0):
        form = DiversityForm(kind=kind, weight=weight)
        profile = RankingProfile(name="many", k=9, weights=BLEND, diversity=form)
        query = np.array([0.9, 0.3, 0.1])
        pool = pool_of(items, rows)
        chosen = [hit.id for hit in rank_items(pool, query, profile, NOW).hits]
        assert chosen == choose_slowly(pool, query, profile)


def test_cosines_of_many_items_are_those_of_each() -> None:
    rng = np.random.default_rng(6)
    rows = rng.integers(-2, 3, (2_500, 3)).astype(np.float64)
    pool, query = (
        pool_of([bank_item(str(number)) for number in range(2_500)], rows),
        np.array([0.6, 0.0, 0.8]),
    )
    places = rng.permutation(2_500)[:2_400]
    one_by_one = [pool.cosine(int(place), query) for place in places]
    assert pool.exact_cosines(places, query) == pytest.approx(one_by_one, abs=1e-15)


def test_what_many_equal_items_repeat_is_the_nearest_of_all_that_were_chosen() -> None:
    items = [bank_item(id) for id in "hgfedcba"]
    pool = pool_of(items, [[1.0, 0.0]] * 4 + [[0.0, 1.0]] * 4)
    query = np.array([0.6, 0.6])
    profile = RankingProfile(name="many", k=4, diversity=DiversityForm(weight=0.5))
    assert [hit.id for hit in rank_items(pool, query, profile, NOW).hits] == ["a", "e", "b", "c"]
    assert choose_slowly(pool, query, profile) == ["a", "e", "b", "c"]


def test_of_many_items_the_best_are_chosen_one_after_the_other() -> None:
    """Only the best blocks of a large pool are looked at, until none of their items is left."""
    rng = np.random.default_rng(7)
    n, k = 1_300, 60
    rows = rng.standard_normal((n, 8)).astype(np.float32)
    pool = pool_items([bank_item(f"item-{number:04}") for number in rng.permutation(n)], rows)
    exact = rows.astype(np.float64) @ axis(8) / np.linalg.norm(rows.astype(np.float64), axis=1)
    for active in (np.ones(n, dtype=np.bool_), np.arange(n) % 64 > 40, exact < 0.5):
        wanted = [pool.ids[place] for place in np.argsort(-exact) if active[place]][:k]
        shown = replace(pool, active=active)
        profile = RankingProfile(name="nearest", k=k)
        hits = rank_items(shown, axis(8), profile, NOW).hits
        assert [hit.id for hit in hits] == wanted
        assert [hit.score for hit in hits] == pytest.approx(
            [exact[pool.places[name]] for name in wanted], abs=1e-12
        )
