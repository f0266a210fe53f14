"""Which items of a bank a project sees, a part of a bank as a bank, and an item's own schema."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memtrial.memory.bank.bank_item import ItemDetails, ItemUses
from memtrial.memory.bank.events.bank_events import (
    EpisodeAdded,
    ItemRevised,
    LinkAdded,
    SignalSeen,
    StandingSet,
    VectorAdded,
)
from memtrial.memory.bank.events.episode_queries import list_episodes
from memtrial.memory.bank.events.item_body import canonical, item_body, item_schema, item_text, read_item_body
from memtrial.memory.bank.events.item_queries import (
    ItemFilter,
    every_item,
    get_item,
    list_items,
    list_links,
    read_vectors,
)
from memtrial.memory.bank.events.kept_episode import make_episode, read_trajectory
from memtrial.memory.bank.events.ulids import UlidMaker, is_ulid
from memtrial.memory.bank.exports.part_copy import copy_part
from memtrial.memory.bank.index.faiss_index import FaissIndex
from memtrial.memory.bank.index.index_upkeep import keep_up
from memtrial.memory.bank.index.vector_index import search_index
from memtrial.memory.item import AdditiveItem, NativeItem, ProseItem, TheoryItem
from memtrial.memory.stored_item import MemoryFault
from tests.support.event_bank import (
    CAUSE,
    DIMENSIONS,
    fill,
    make_item,
    make_trajectory,
    make_vector,
    open_log,
)

WORDS = (
    NativeItem("a", "b", "c"),
    TheoryItem("a", "b", "c", "d", "e"),
    AdditiveItem("a", "b", "c", "d", "e", "f", "g", "h"),
    ProseItem("a"),
)


def test_a_project_sees_what_is_above_it_and_nothing_beside_it(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    fill(log, range(24))
    seen = [item.origin.project for item in list_items(log, ItemFilter("org/team/one"))]
    assert seen == ["org/team/one"] * 4 + ["org/team"] * 4 + ["org"] * 4
    assert {item.origin.project for item in list_items(log, ItemFilter("org/team"))} == {"org/team", "org"}
    assert {item.origin.project for item in list_items(log, ItemFilter(""))} == {""}
    assert list_items(log, ItemFilter("nobody")) == ()
    for wrong in ("a/b/c/d", "org/", "/org", "org/../x", " org", "a\nb", "x" * 201):
        with pytest.raises(MemoryFault, match="a path of at most 3"):
            list_items(log, ItemFilter(wrong))


@pytest.mark.parametrize(
    "asked",
    [
        ItemFilter("org/team/one", domain="shop"),
        ItemFilter("org/team/one", tags=("python", "auth")),
        ItemFilter("org/team/two", outcome="failure"),
        ItemFilter("org/team/one", least_confidence=0.5),
        ItemFilter("org/team/one", above=0.5),
        ItemFilter("org/team/one", standings=("archived",)),
        ItemFilter("org/team/one", standings=()),
    ],
)
def test_a_filter_in_sql_is_a_filter_by_hand(tmp_path: Path, asked: ItemFilter) -> None:
    log = open_log(tmp_path)
    fill(log, range(48))
    log.append([StandingSet(make_item(number).id, "archived") for number in (6, 7)], CAUSE)
    by_hand = {item.id for item in every_item(log) if asked.takes(item)}
    assert {item.id for item in list_items(log, asked)} == by_hand
    assert by_hand or asked.standings == ()
    plan = log.read(
        "EXPLAIN QUERY PLAN SELECT * FROM items WHERE project IN ('a', 'b') AND standing = 'active'"
    )
    assert "items_by_scope" in str(plan)


@pytest.mark.parametrize("words", WORDS, ids=lambda words: type(words).__name__)
def test_an_item_is_of_its_schema_and_read_again(words: NativeItem) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="what checks a JSON Schema is not installed")
    item = replace(make_item(4), item=words, details=ItemDetails("x", ("y",), (), "z"))
    for same in (item, replace(item, pinned=True, version=7, created=5, id='x"é'), make_item(3)):
        assert item_text(same) == canonical(item_body(same))
    body = json.loads(canonical(item_body(item)))
    jsonschema.validate(body, item_schema())
    assert read_item_body(body) == item
    for broken in (
        {**body, "more": 1},
        {name: value for name, value in body.items() if name != "confidence"},
        {**body, "standing": "lost"},
        {**body, "item": {"schema": "native", "title": "t"}},
        {**body, "version": "one"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, item_schema())
        with pytest.raises(ValueError, match=r"."):
            read_item_body(broken)


def test_ids_ascend_within_a_millisecond_and_when_the_clock_is_set_back() -> None:
    # as github.com/ulid/spec prints it
    assert UlidMaker(lambda: 1469918176.385).make().startswith("01ARYZ6S41")
    moments = iter([5.0] * 500 + [4.0] * 500 + [6.0] * 500)
    maker = UlidMaker(lambda: next(moments), lambda bits: (1 << bits) - 3)
    made = [maker.make() for _ in range(1500)]
    assert made == sorted(set(made))
    assert all(map(is_ulid, [*made, f"rm_{made[0]}"]))
    assert not any(map(is_ulid, ["", made[0][1:], made[0].lower(), f"{made[0][:-1]}U", "rm_x"]))


def test_a_part_of_a_bank_answers_where_the_bank_is_not(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    fill(log, range(40))
    first, second, third = (make_item(number).id for number in (6, 12, 18))
    new = ProseItem("later words")
    log.append(
        [
            ItemRevised(second, new, ItemDetails()),
            VectorAdded(second, "item", make_vector(2)),
            LinkAdded(first, second, "refines", 0.5),
            LinkAdded(first, third, "refines"),
            SignalSeen(first, "cited", "t", "success"),
        ],
        CAUSE,
    )
    index = FaissIndex()
    keep_up(log, index, "item")
    query, asked = np.ones(DIMENSIONS, dtype=np.float32), ItemFilter("org/team/one")
    near = search_index(index, query, 4, asked)
    chosen = [*(item.id for item in near), first, second]
    assert copy_part(log, chosen, tmp_path / "part.db") == len(set(chosen))
    known = get_item(log, second), get_item(log, first), read_vectors(log, "item", chosen)
    log.close()
    (tmp_path / "memory.db").unlink()
    part = open_log(tmp_path, "part.db")
    part.check()
    small = FaissIndex()
    keep_up(part, small, "item")
    assert search_index(small, query, 4, asked) == near
    assert (get_item(part, second), get_item(part, first)) == (replace(known[0], version=1), known[1])
    assert {id_: vector.tobytes() for id_, vector in read_vectors(part, "item").items()} == {
        id_: vector.tobytes() for id_, vector in known[2].items()
    }
    assert [(link.source, link.target, link.weight) for link in list_links(part)] == [(first, second, 0.5)]
    with pytest.raises(MemoryFault, match="without a bank"):
        copy_part(part, [first], tmp_path / "part.db")
    with pytest.raises(MemoryFault, match="id of an item"):
        copy_part(part, [third, "no"], tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("score", [None, 0.0, 0.4])
def test_an_episode_keeps_the_score_that_its_world_gave_and_none_where_it_gave_none(
    tmp_path: Path, score: float | None
) -> None:
    log = open_log(tmp_path)
    run = replace(make_trajectory(), score=score)
    log.append([EpisodeAdded(make_episode(run))], CAUSE)
    (judged,) = list_episodes(log)
    assert read_trajectory(judged.episode).score == score


def test_a_use_counts_where_it_belongs_and_the_last_citation_stays_the_latest(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    fill(log, range(2))
    name = make_item(0).id
    uses = [
        SignalSeen(name, "retrieved", "t"),
        SignalSeen(name, "shown", "t", "success"),
        SignalSeen(name, "cited", "t", "success"),
    ]
    log.clock = lambda: 50.0
    log.append(uses, CAUSE)
    log.clock = lambda: 20.0
    log.append([*uses, SignalSeen(name, "cited", "t", "failure"), SignalSeen(name, "cited")], CAUSE)
    assert get_item(log, name).uses == ItemUses(2, 2, 4, 2, 1, 50.0)
    log.clock = lambda: 60.0
    log.append([SignalSeen(name, "explicit", "t", "success"), uses[2]], CAUSE)
    assert get_item(log, name).uses == ItemUses(2, 2, 5, 3, 1, 60.0)
    assert get_item(log, make_item(1).id).uses == ItemUses()
