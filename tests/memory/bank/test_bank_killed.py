"""A bank whose writer is killed has all that was acknowledged, and nothing by halves."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter, every_item, list_links
from memtrial.memory.bank.index.faiss_index import FaissIndex
from memtrial.memory.bank.index.index_upkeep import keep_up
from memtrial.memory.bank.index.qdrant_edge_index import QdrantEdgeIndex
from memtrial.memory.bank.index.vector_index import VectorIndex, search_index
from tests.support.event_bank import DIMENSIONS, PROJECTS, hide_secret, make_item, tables_of

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("KILLS", "2"))
"""Times that a writer of each kind is killed."""
ENDLESS = 100_000


def _begin(folder: Path, kind: str, first: int, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.support.bank_writer", str(folder), kind, str(first), str(count)]
    writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"begun\n"
    return writer


def _kill_later(writer: subprocess.Popen[bytes], wait_s: float) -> int:
    """How many batches were acknowledged when it was killed."""
    assert writer.stdout is not None
    assert writer.stdout.readline()
    time.sleep(wait_s)
    writer.kill()
    rest, _ = writer.communicate()
    return 1 + rest.count(b"\n")


def _held_batches(log: BankLog, kind: str) -> int:
    """How many batches are there; each of them must be whole."""
    items = {item.id: item for item in every_item(log)}
    assert len(items) % 3 == 0
    held = len(items) // 3
    assert items.keys() == {make_item(number).id for number in range(3 * held)}
    links = list_links(log)
    assert len(links) % 2 == 0
    if kind == "consolidate":
        done = len(links) // 2
        assert held - done in (0, 1)
        for number in range(3 * held):
            item, is_done = items[make_item(number).id], number < 3 * done
            assert item.standing == ("duplicate" if is_done and number % 3 else "active")
            assert item.confidence == (1.0 if is_done and not number % 3 else make_item(number).confidence)
        return done
    return held


def _search_all(log: BankLog, index: VectorIndex) -> list[object]:
    keep_up(log, index, "item")
    query = np.arange(DIMENSIONS, dtype=np.float32)
    asked = [ItemFilter(project, standings=("active", "duplicate")) for project in PROJECTS]
    return [search_index(index, query, 10_000, filter_) for filter_ in asked]


@pytest.mark.parametrize("kind", ["insert", "consolidate", "index", "edge"])
@pytest.mark.parametrize("kill", range(KILLS))
def test_a_killed_writer_leaves_what_it_acknowledged(tmp_path: Path, kind: str, kill: int) -> None:
    if kind == "edge":
        pytest.importorskip("qdrant_edge", reason="Qdrant Edge is not installed")
    rng = random.Random(f"{kind} {kill}")
    acknowledged = _kill_later(_begin(tmp_path, kind, 0, ENDLESS), rng.uniform(0, 0.1))
    log = BankLog(tmp_path / "memory.db", hide_secret)
    held = _held_batches(log, kind)
    assert held - acknowledged in (0, 1)
    log.check()
    before = tables_of(log)
    log.rebuild()
    assert tables_of(log) == before
    edge = kind == "edge"
    kept = _search_all(
        log, QdrantEdgeIndex(tmp_path / "edge") if edge else FaissIndex(tmp_path / "items.index")
    )
    assert kept == _search_all(log, FaissIndex())
    assert sum(map(len, kept)) >= 3 * acknowledged


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    BankLog(tmp_path / "memory.db", hide_secret).close()
    writers = [_begin(tmp_path, "consolidate", first, 12) for first in (0, 100)]
    for writer in writers:
        out, _ = writer.communicate(timeout=120)
        assert (writer.returncode, out.count(b"\n")) == (0, 12)
    log = BankLog(tmp_path / "memory.db", hide_secret)
    log.check()
    assert {item.id for item in every_item(log)} == {
        make_item(3 * batch + place).id for batch in (*range(12), *range(100, 112)) for place in range(3)
    }
    assert len(list_links(log)) == 48
