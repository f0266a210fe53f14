"""Laws that every index of a bank keeps."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from memtrial.memory.bank.bank_item import ItemDetails
from memtrial.memory.bank.events.bank_events import (
    ConfidenceSet,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    StandingSet,
    VectorAdded,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter, every_item, read_vectors
from memtrial.memory.bank.index.faiss_index import FaissIndex
from memtrial.memory.bank.index.index_upkeep import keep_up
from memtrial.memory.bank.index.pgvector_index import PgvectorIndex
from memtrial.memory.bank.index.qdrant_edge_index import QdrantEdgeIndex
from memtrial.memory.bank.index.qdrant_index import open_qdrant
from memtrial.memory.bank.index.vector_index import NearItem, VectorIndex, cosines, search_index
from memtrial.memory.item import NativeItem
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array, unit
from tests.support.event_bank import CAUSE, DIMENSIONS, fill, make_item, make_vector, open_log
from tests.support.postgres_server import lacking_pgvector, postgres_server

Open = Callable[[Path, str], VectorIndex]
N = 60
FILTERS = (
    ItemFilter("org/team/one"),
    ItemFilter("org/team/one", domain="shop"),
    ItemFilter("org/team", outcome="failure", least_confidence=0.3),
    ItemFilter("org/team/two", tags=("python",), above=0.2),
    ItemFilter("org/team/one", tags=("auth", "python")),
    ItemFilter("org/team/one", least_confidence=0.5),
    ItemFilter("org/team/one", above=0.5),
    ItemFilter("org/team/one", standings=("archived", "quarantined")),
    ItemFilter(""),
    ItemFilter("nobody/has/this"),
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_server() as address:
        yield address


def _open_faiss(folder: Path, name: str) -> VectorIndex:
    return FaissIndex(folder / f"{name}.index")


def _open_memory(folder: Path, name: str) -> VectorIndex:
    pytest.importorskip("qdrant_client", reason="the client of Qdrant is not installed")
    return open_qdrant(":memory:", name)


def _open_path(folder: Path, name: str) -> VectorIndex:
    pytest.importorskip("qdrant_client", reason="the client of Qdrant is not installed")
    return open_qdrant(str(folder / "qdrant"), name)


def _open_edge(folder: Path, name: str) -> VectorIndex:
    pytest.importorskip("qdrant_edge", reason="Qdrant Edge is not installed")
    return QdrantEdgeIndex(folder / name)


MEMBERS = {"faiss": _open_faiss, "qdrant": _open_memory, "qdrant-path": _open_path, "edge": _open_edge}
KEPT = {"faiss", "qdrant-path", "edge", "pgvector"}


@pytest.fixture(params=[*MEMBERS, "pgvector"])
def member(request: pytest.FixtureRequest) -> tuple[str, Open]:
    if request.param != "pgvector":
        return request.param, MEMBERS[request.param]
    if why := lacking_pgvector():
        pytest.skip(why)
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    address = request.getfixturevalue("postgres")
    mark = request.node.name.partition("[")[0][-20:]
    return "pgvector", lambda folder, name: PgvectorIndex(address, f"{mark}_{name}")


def _scan(log: BankLog, query: Array, k: int, asked: ItemFilter) -> list[NearItem]:
    """The same by hand: filter afterwards, one cosine after the other."""
    vectors = read_vectors(log, "item")
    near = []
    for item in every_item(log):
        if item.id in vectors and asked.takes(item):
            row = unit(vectors[item.id][None])
            near.append(NearItem(item.id, float(cosines(query, row)[0])))
    near.sort(key=lambda item: (-round(item.similarity, 12), item.id))
    return near[:k]


def _agree(index: VectorIndex, log: BankLog, queries: int = 3) -> None:
    rng = np.random.default_rng(9)
    for asked in FILTERS:
        for _ in range(queries):
            query = rng.normal(size=DIMENSIONS).astype(np.float32)
            for k in (1, 4, 200):
                near, scanned = search_index(index, query, k, asked), _scan(log, query, k, asked)
                assert [item.id for item in near] == [item.id for item in scanned], asked
                assert np.allclose(
                    [item.similarity for item in near], [item.similarity for item in scanned], atol=1e-9
                )


def test_filters_push_down_and_equal_filtering_afterwards(tmp_path: Path, member: tuple[str, Open]) -> None:
    log = open_log(tmp_path)
    fill(log, range(N))
    log.append([StandingSet(make_item(number).id, "archived") for number in (0, 7, 12)], CAUSE)
    index = member[1](tmp_path, "a")
    assert keep_up(log, index, "item") == N
    assert keep_up(log, index, "item") == 0
    _agree(index, log)
    index.close()


def test_changes_are_caught_up_with_and_equal_a_rebuild(tmp_path: Path, member: tuple[str, Open]) -> None:
    log = open_log(tmp_path)
    fill(log, range(20))
    index = member[1](tmp_path, "a")
    keep_up(log, index, "item")
    revised, back, gone, poor = (make_item(number).id for number in (1, 2, 3, 4))
    fill(log, range(20, 40))
    log.append(
        [
            ItemRevised(revised, NativeItem("new", "words", "here"), ItemDetails()),
            VectorAdded(revised, "item", make_vector(99)),
            ItemRevised(gone, NativeItem("no", "vector", "yet"), ItemDetails()),
            ItemRevised(back, NativeItem("for", "a", "while"), ItemDetails()),
            ItemRolledBack(back, 1),
            ConfidenceSet(poor, 0.05),
        ],
        CAUSE,
    )
    assert keep_up(log, index, "item") == 24
    _agree(index, log, 1)
    fresh = FaissIndex()
    keep_up(log, fresh, "item")
    query = np.ones(DIMENSIONS, dtype=np.float32)
    asked = ItemFilter("org/team/one", standings=("active", "archived"))
    assert search_index(index, query, 100, asked) == search_index(fresh, query, 100, asked)
    index.close()


def test_an_index_that_is_kept_is_read_again_and_of_another_bank_made_anew(
    tmp_path: Path, member: tuple[str, Open]
) -> None:
    name, opened = member
    if name not in KEPT:
        pytest.skip("this one is kept nowhere")
    log = open_log(tmp_path)
    fill(log, range(20))
    index = opened(tmp_path, "a")
    keep_up(log, index, "item")
    index.close()
    index = opened(tmp_path, "a")
    assert keep_up(log, index, "item") == 0
    _agree(index, log, 1)
    other = open_log(tmp_path, "other.db")
    fill(other, range(7))
    assert keep_up(other, index, "item") == 7
    _agree(index, other, 1)
    assert keep_up(log, index, "item") == 20
    index.close()


def test_an_index_that_is_ahead_of_its_log_is_made_anew(tmp_path: Path, member: tuple[str, Open]) -> None:
    log = open_log(tmp_path)
    fill(log, range(5))
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        log.connection.backup(copy)
    copy.close()
    index = member[1](tmp_path, "a")
    fill(log, range(5, 12))
    keep_up(log, index, "item")
    log.close()
    behind = open_log(tmp_path, "copy.db")
    assert keep_up(behind, index, "item") == 5
    _agree(index, behind, 1)
    # as long again, with other events
    fill(behind, range(20, 27))
    keep_up(behind, index, "item")
    _agree(index, behind, 1)
    index.close()


def test_ties_go_by_id_and_a_query_without_direction_is_near_to_nothing(
    tmp_path: Path, member: tuple[str, Open]
) -> None:
    log = open_log(tmp_path)
    fill(log, range(0))
    same = np.full(DIMENSIONS, 0.3, dtype="<f4").tobytes()
    numbers = (41, 3, 17, 9, 25)
    for number in numbers:
        item = make_item(number, project="org/team/one")
        log.append([ItemAdded(item), VectorAdded(item.id, "item", same)], CAUSE)
    index = member[1](tmp_path, "a")
    keep_up(log, index, "item")
    asked = ItemFilter("org/team/one")
    near = search_index(index, np.ones(DIMENSIONS, dtype=np.float32), 3, asked)
    assert [item.id for item in near] == [make_item(number).id for number in (3, 9, 17)]
    assert all(abs(item.similarity - 1) < 1e-7 for item in near)
    nowhere = search_index(index, np.zeros(DIMENSIONS, dtype=np.float32), 2, asked)
    assert nowhere == tuple(NearItem(make_item(number).id, 0.0) for number in (3, 9))
    index.close()


def test_more_ties_than_candidates_still_go_by_id(tmp_path: Path, member: tuple[str, Open]) -> None:
    log = open_log(tmp_path)
    fill(log, range(0))
    same = np.full(DIMENSIONS, 0.3, dtype="<f4").tobytes()
    items = [make_item(number, project="org") for number in reversed(range(90))]
    log.append(
        [event for item in items for event in (ItemAdded(item), VectorAdded(item.id, "item", same))], CAUSE
    )
    index = member[1](tmp_path, "a")
    keep_up(log, index, "item")
    near = search_index(index, np.ones(DIMENSIONS, dtype=np.float32), 2, ItemFilter("org"))
    assert [item.id for item in near] == [make_item(0).id, make_item(1).id]
    index.close()


def test_what_makes_no_sense_is_refused(tmp_path: Path, member: tuple[str, Open]) -> None:
    log = open_log(tmp_path)
    index = member[1](tmp_path, "a")
    query, asked = np.ones(DIMENSIONS, dtype=np.float32), ItemFilter("org/team/one")
    assert search_index(index, query, 3, asked) == ()
    fill(log, range(10))
    keep_up(log, index, "item")
    with pytest.raises(ValueError, match="k is -1"):
        search_index(index, query, -1, asked)
    with pytest.raises(ValueError, match="NaN"):
        search_index(index, np.full(DIMENSIONS, np.nan, dtype=np.float32), 3, asked)
    with pytest.raises(ValueError, match=r"8 numbers.*\(7,\)"):
        search_index(index, query[:7], 3, asked)
    assert search_index(index, query, 0, asked) == ()
    assert len(search_index(index, query, 99, asked)) == len(_scan(log, query, 99, asked))
    index.close()


def test_a_folder_of_qdrant_edge_is_open_once_and_a_shard_that_was_never_finished_is_made_anew(
    tmp_path: Path,
) -> None:
    index = _open_edge(tmp_path, "a")
    with pytest.raises(MemoryFault, match="open already"):
        _open_edge(tmp_path, "a")
    log = open_log(tmp_path)
    fill(log, range(5))
    keep_up(log, index, "item")
    index.close()
    newest = tmp_path / "a" / "edge-2"  # as a process leaves it that was killed while it began
    newest.mkdir()
    index = _open_edge(tmp_path, "a")
    assert keep_up(log, index, "item") == 5
    _agree(index, log, 1)
    index.close()
