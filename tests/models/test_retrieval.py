"""Retrieval by source query: the nearest, in a fixed order, and never the task's own record."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.memory.retrieval import SourceKey, Sources, make_index, nearest_records
from memtrial.models.embeddings.embedding import HashingEmbedder, unit
from memtrial.worlds.world import Task
from tests.support.vectors import cosine

calm = settings(max_examples=30, deadline=None)  # the first call imports, and machines are shared

vectors = HashingEmbedder().vectors
queries = st.lists(
    st.sampled_from(["find", "buy", "soap", "tea", "order", "first", "last", ""]), max_size=5
).map(" ".join)
keys = st.lists(
    st.builds(SourceKey, st.sampled_from("abcdef"), queries, st.sampled_from(["", "x", "y"])), max_size=12
)
tasks = st.builds(
    Task, st.sampled_from("abcdef"), queries, st.just("f"), st.sampled_from(["", "x", "y"]), st.just("test")
)


def task(task_id: str, query: str, template: str = "") -> Task:
    return Task(task_id, query, "family", template, "test")


def nearest(listed, asked, k=1, leave_out="task", vectors=vectors):
    """Positions of what one task is shown."""
    known = Sources(tuple(listed), make_index(vectors([key.query for key in listed])))
    return places(nearest_records(known, [asked], vectors([asked.query]), k, leave_out)[0])


def places(rows):
    return tuple(row.place for row in rows)


def nearest_rows(query, rows, k):
    """Positions of the rows that an index of them gives out."""
    return places(make_index(rows).nearest(query, k))


def ids(listed, *asked):
    return [listed[at].task_id for at in nearest(listed, *asked)]


def expected(listed, asked, k, leave_out):
    """The same answer by plain sorting."""
    if not listed:
        return []
    near = cosine(vectors([asked.query]), vectors([key.query for key in listed]))[0]
    allowed = [
        i
        for i, key in enumerate(listed)
        if key.task_id != asked.id
        and not (leave_out == "template" and key.template != "" and key.template == asked.template)
    ]
    return sorted(allowed, key=lambda i: (-round(float(near[i]), 4), i))[:k]


@calm
@given(listed=keys, asked=tasks, k=st.integers(0, 4), leave_out=st.sampled_from(["task", "template"]))
def test_the_nearest_allowed_records_in_a_fixed_order(listed, asked, k, leave_out):
    found = nearest(listed, asked, k, leave_out)
    assert list(found) == expected(listed, asked, k, leave_out)
    assert all(listed[at].task_id != asked.id for at in found)


def test_the_same_query_under_another_id_is_the_nearest_and_its_own_record_is_not():
    listed = [
        SourceKey("own", "buy soap", "t"),
        SourceKey("far", "boil water", "u"),
        SourceKey("near", "buy soap", "t"),
    ]
    assert ids(listed, task("own", "buy soap", "t"), 3) == ["near", "far"]
    assert ids(listed, task("new", "buy soap"), 3) == ["own", "near", "far"]


def test_a_template_is_left_out_by_switch_and_an_empty_one_is_none():
    listed = [
        SourceKey("a", "buy soap", "buy"),
        SourceKey("b", "buy tea", ""),
        SourceKey("c", "sell soap", "sell"),
    ]
    assert {*ids(listed, task("z", "buy soap", "buy"), 9, "template")} == {"b", "c"}
    assert {*ids(listed, task("z", "buy soap", ""), 9, "template")} == {"a", "b", "c"}
    assert {*ids(listed, task("z", "buy soap", "buy"), 9)} == {"a", "b", "c"}


def test_ties_fall_to_the_earlier_record_in_banks_of_any_size():
    for n in (3, 40, 700):
        listed = [SourceKey(f"t{i}", "buy soap and tea", "") for i in range(n)]
        assert nearest(listed, task("t1", "buy tea"), 3) == (0, 2, 3)[: n - 1]


def test_one_record_is_shown_unless_more_are_asked_for_and_none_where_there_is_none():
    listed = [SourceKey("a", "buy soap", ""), SourceKey("b", "buy tea", "")]
    assert len(nearest(listed, task("z", "buy"))) == 1
    assert nearest([], task("z", "buy"), 5) == ()
    assert nearest(listed[:1], task("a", "buy soap"), 5) == ()


def lengthy(texts):
    """Vectors that are not of length one: the word count, and one."""
    rows = [[len(text.split()), 1] for text in texts]
    return np.array(rows, dtype=np.float32).reshape(len(rows), 2)


def test_length_does_not_count():
    listed = [SourceKey("long", "a b c d e f g h", ""), SourceKey("same", "a b", "")]
    found = nearest(listed, task("z", "c d"), 2, vectors=lengthy)
    assert [listed[at].task_id for at in found] == ["same", "long"]


@calm
@given(listed=keys, asked=st.lists(tasks, max_size=8), k=st.integers(0, 3))
def test_many_tasks_at_once_find_what_each_finds_alone(listed, asked, k):
    known = Sources(tuple(listed), make_index(vectors([key.query for key in listed])))
    together = nearest_records(known, asked, vectors([one.query for one in asked]), k)
    assert tuple(map(places, together)) == tuple(nearest(listed, one, k) for one in asked)


def test_ties_fall_to_the_earlier_record_when_many_ask_at_once():
    listed = [SourceKey(f"t{i}", "buy soap and tea", "") for i in range(700)]
    asked = [task(f"new{i}", f"buy tea {i} times") for i in range(50)]
    known = Sources(tuple(listed), make_index(vectors([key.query for key in listed])))
    for found in nearest_records(known, asked, vectors([one.query for one in asked]), 3):
        assert places(found) == (0, 1, 2)


def test_each_task_brings_its_own_query():
    known = Sources((SourceKey("a", "buy soap", ""),), make_index(vectors(["buy soap"])))
    for queries in (vectors(["buy"]), HashingEmbedder(64).vectors(["buy", "buy"])):
        with pytest.raises(ValueError, match=r"is \(2, 384\); got"):
            nearest_records(known, [task("x", "buy"), task("y", "buy")], queries)


@calm
@given(asked=queries, listed=st.lists(queries, max_size=12), k=st.integers(0, 5))
def test_the_nearest_texts_in_a_fixed_order(asked, listed, k):
    query, rows = vectors([asked]), vectors(listed)
    near = cosine(query, rows)[0]
    found = nearest_rows(query[0], rows, k)
    assert len(set(found)) == len(found) == min(k, len(listed))
    left = set(range(len(listed))) - set(found)
    # the sums are of another precision than the cosine's: what differs by less is no order
    assert all(near[one] >= near[two] - 1e-5 for one, two in pairwise(found))
    assert all(near[one] >= near[other] - 1e-5 for one in found[-1:] for other in left)
    assert all(one < two or listed[one] != listed[two] for one, two in combinations(found, 2))
    assert all(one < two or listed[one] != listed[two] for one in found for two in left)


def test_equal_texts_are_equally_near_and_length_does_not_count():
    rows = lengthy(["a b", "a b c d e f", "c d"] * 40)
    assert nearest_rows(lengthy(["x y"])[0], rows, 4) == (0, 2, 3, 5)


def test_the_index_orders_as_all_cosines_in_double_precision_do():
    rng = np.random.default_rng(7)
    for n, d, k in ((1, 1, 3), (50, 2, 4), (400, 3, 1), (400, 3, 9), (3_000, 64, 5)):
        # few directions, so that many rows are equally near; and rows of zeros
        rows = rng.integers(-2, 3, (n, d)).astype(np.float32) * (rng.random((n, 1)) < 0.9)
        for query in rng.integers(-2, 3, (8, d)).astype(np.float32):
            whole, line = unit(rows).astype(np.float64), unit(query[None])[0].astype(np.float64)
            similar = np.round(np.einsum("nd,d->n", whole, line), 6)
            expected = np.argsort(-similar, kind="stable")[:k]
            assert nearest_rows(query, rows.astype(np.float32), k) == tuple(expected.tolist())


def test_the_cosines_never_rise_from_one_row_to_the_next():
    rng = np.random.default_rng(3)
    words = ["find", "buy", "soap", "tea", "order", "first", "last", "red", "box", "lamp"]
    rows = vectors([" ".join(rng.choice(words, rng.integers(2, 9))) for _ in range(300)])
    index = make_index(rows)
    for query in rows[:40]:
        cosines = [row.cosine for row in index.nearest(query, len(rows))]
        assert cosines == sorted(cosines, reverse=True)
        assert np.allclose(cosines[0], 1.0)


def test_a_part_of_an_index_and_a_grown_one_find_what_one_of_the_same_rows_finds():
    rng = np.random.default_rng(4)
    rows = rng.integers(-2, 3, (60, 5)).astype(np.float32)
    whole, grown, some = make_index(rows), make_index(rows[:7]), [40, 3, 3, 59]
    for begin in range(7, 60, 11):
        grown.add(rows[begin : begin + 11])
    for query in rng.integers(-2, 3, (8, 5)).astype(np.float32):
        assert grown.nearest(query, 9) == whole.nearest(query, 9)
        assert whole.part(some).nearest(query, 3) == make_index(rows[some]).nearest(query, 3)
