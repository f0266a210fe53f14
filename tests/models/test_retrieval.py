"""Retrieval by source query: the nearest, in a fixed order, and never the task's own record."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadbearing.environments.world import Task
from loadbearing.memory.retrieval import Retrieval, SourceKey, nearest_rows
from loadbearing.models.embeddings.embedding import HashingEmbedder, SpaceFault, Vectors
from tests.support.vectors import cosine

calm = settings(max_examples=30, deadline=None)  # the first call imports, and machines are shared

EMBEDDER = HashingEmbedder()
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


def expected(listed, asked, k, leave_out):
    """The same answer by plain sorting."""
    if not listed:
        return []
    near = cosine(EMBEDDER.embed([asked.query]), EMBEDDER.embed([key.query for key in listed]))[0]
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
    hits = Retrieval(EMBEDDER, k, leave_out).index(listed).nearest(asked)
    assert [hit.record_position for hit in hits] == expected(listed, asked, k, leave_out)
    for hit in hits:
        assert hit.task_id == listed[hit.record_position].task_id != asked.id
        assert -1 <= hit.similarity <= 1
        assert hit.similarity == round(hit.similarity, 6)


def test_the_same_query_under_another_id_is_the_nearest_and_its_own_record_is_not():
    index = Retrieval(EMBEDDER, k=3).index(
        [
            SourceKey("own", "buy soap", "t"),
            SourceKey("far", "boil water", "u"),
            SourceKey("near", "buy soap", "t"),
        ]
    )
    hits = index.nearest(task("own", "buy soap", "t"))
    assert [hit.task_id for hit in hits] == ["near", "far"]
    assert hits[0].similarity == pytest.approx(1)
    assert [hit.task_id for hit in index.nearest(task("new", "buy soap"))] == ["own", "near", "far"]


def test_a_template_is_left_out_by_switch_and_an_empty_one_is_none():
    listed = [
        SourceKey("a", "buy soap", "buy"),
        SourceKey("b", "buy tea", ""),
        SourceKey("c", "sell soap", "sell"),
    ]
    by_template = Retrieval(EMBEDDER, k=9, leave_out="template").index(listed)
    assert {hit.task_id for hit in by_template.nearest(task("z", "buy soap", "buy"))} == {"b", "c"}
    assert {hit.task_id for hit in by_template.nearest(task("z", "buy soap", ""))} == {"a", "b", "c"}
    by_task = Retrieval(EMBEDDER, k=9).index(listed)
    assert {hit.task_id for hit in by_task.nearest(task("z", "buy soap", "buy"))} == {"a", "b", "c"}


def test_ties_fall_to_the_earlier_record_in_banks_of_any_size():
    for n in (3, 40, 700):
        listed = [SourceKey(f"t{i}", "buy soap and tea", "") for i in range(n)]
        hits = Retrieval(EMBEDDER, k=3).index(listed).nearest(task("t1", "buy tea"))
        assert [hit.record_position for hit in hits] == [0, 2, 3][: n - 1]


def test_one_record_is_shown_unless_more_are_asked_for_and_none_where_there_is_none():
    listed = [SourceKey("a", "buy soap", ""), SourceKey("b", "buy tea", "")]
    assert len(Retrieval(EMBEDDER).index(listed).nearest(task("z", "buy"))) == 1
    assert Retrieval(EMBEDDER, k=5).index([]).nearest(task("z", "buy")) == ()
    assert Retrieval(EMBEDDER, k=5).index(listed[:1]).nearest(task("a", "buy soap")) == ()
    with pytest.raises(ValueError, match="k=-1"):
        Retrieval(EMBEDDER, k=-1)


@dataclass(frozen=True)
class Lengthy:
    """An embedder whose vectors are not of length one: the word count, and one."""

    space: str = "lengthy"

    def embed(self, texts):
        rows = [[len(text.split()), 1] for text in texts]
        return Vectors(self.space, np.array(rows, dtype=np.float32).reshape(len(rows), 2))


def test_length_does_not_count():
    listed = [SourceKey("long", "a b c d e f g h", ""), SourceKey("same", "a b", "")]
    hits = Retrieval(Lengthy(), k=2).index(listed).nearest(task("z", "c d"))
    assert [hit.task_id for hit in hits] == ["same", "long"]
    assert hits[0].similarity == pytest.approx(1)


@pytest.mark.parametrize("listed", [[], [SourceKey("a", "buy soap", "")]], ids=["empty", "one"])
def test_a_query_from_another_space_is_refused(listed):
    index = Retrieval(EMBEDDER).index(listed)
    for other in (Lengthy(), Lengthy(EMBEDDER.space), HashingEmbedder(64)):
        with pytest.raises(SpaceFault):
            index.nearest_to(other.embed(["buy soap"]), [task("z", "buy soap")])
    assert len(index.nearest_to(EMBEDDER.embed(["buy soap"]), [task("z", "other")])[0]) == len(listed)


@calm
@given(listed=keys, asked=st.lists(tasks, max_size=8), k=st.integers(0, 3))
def test_many_tasks_at_once_find_what_each_finds_alone(listed, asked, k):
    index = Retrieval(EMBEDDER, k).index(listed)
    together = index.nearest_to(EMBEDDER.embed([one.query for one in asked]), asked)
    assert together == tuple(index.nearest(one) for one in asked)


def test_ties_fall_to_the_earlier_record_when_many_ask_at_once():
    listed = [SourceKey(f"t{i}", "buy soap and tea", "") for i in range(700)]
    asked = [task(f"new{i}", f"buy tea {i} times") for i in range(50)]
    index = Retrieval(EMBEDDER, k=3).index(listed)
    for hits in index.nearest_to(EMBEDDER.embed([one.query for one in asked]), asked):
        assert [hit.record_position for hit in hits] == [0, 1, 2]


def test_each_task_brings_its_own_query():
    index = Retrieval(EMBEDDER).index([SourceKey("a", "buy soap", "")])
    with pytest.raises(ValueError, match="one query a task, got 1 for 2 tasks"):
        index.nearest_to(EMBEDDER.embed(["buy"]), [task("x", "buy"), task("y", "buy")])


@calm
@given(asked=queries, listed=st.lists(queries, max_size=12), k=st.integers(0, 5))
def test_the_nearest_texts_in_a_fixed_order(asked, listed, k):
    query, rows = EMBEDDER.embed([asked]), EMBEDDER.embed(listed)
    near = cosine(query, rows)[0]
    found = nearest_rows(query, rows, k)
    assert len(set(found)) == len(found) == min(k, len(listed))
    left = set(range(len(listed))) - set(found)
    # the sums are of another precision than the cosine's: what differs by less is no order
    assert all(near[one] >= near[two] - 1e-5 for one, two in pairwise(found))
    assert all(near[one] >= near[other] - 1e-5 for one in found[-1:] for other in left)
    assert all(one < two or listed[one] != listed[two] for one, two in combinations(found, 2))
    assert all(one < two or listed[one] != listed[two] for one in found for two in left)


def test_equal_texts_are_equally_near_and_length_does_not_count():
    rows = Lengthy().embed(["a b", "a b c d e f", "c d"] * 40)
    assert nearest_rows(Lengthy().embed(["x y"]), rows, 4) == (0, 2, 3, 5)
    with pytest.raises(SpaceFault):
        nearest_rows(EMBEDDER.embed(["x"]), rows, 4)
