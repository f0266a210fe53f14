"""A process that writes into a bank until it is killed: `bank_writer.py FOLDER KIND FIRST COUNT`.

It prints the number of a batch once the batch is acknowledged. Batch n holds the items 3n, 3n + 1 and 3n + 2.
"""

import os
import sys
from pathlib import Path

from memtrial.memory.bank.events.bank_events import ConfidenceSet, LinkAdded, StandingSet
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.index.faiss_index import FaissIndex
from memtrial.memory.bank.index.index_upkeep import keep_up
from memtrial.memory.bank.index.qdrant_edge_index import QdrantEdgeIndex
from tests.support.event_bank import CAUSE, DIMENSIONS, SPACE, fill, hide_secret, make_item


def insert(log: BankLog, batch: int) -> None:
    fill(log, range(3 * batch, 3 * batch + 3))


def consolidate(log: BankLog, batch: int) -> None:
    """Two of three become duplicates of the third, in one batch behind that of their insertion."""
    insert(log, batch)
    first, *others = (make_item(3 * batch + place).id for place in range(3))
    changes = [
        (LinkAdded(other, first, "duplicate_of", 0.9), StandingSet(other, "duplicate")) for other in others
    ]
    log.append([*(event for pair in changes for event in pair), ConfidenceSet(first, 1.0)], CAUSE)


def index(log: BankLog, batch: int) -> None:
    """Between the event and the index, and while the index is written, anything may happen."""
    insert(log, batch)
    cache = FaissIndex(log.path.with_name("items.index"))
    keep_up(log, cache, "item")
    cache.close()


def edge(log: BankLog, batch: int) -> None:
    """The same with an index that writes at once, and not when it is closed."""
    insert(log, batch)
    shard = QdrantEdgeIndex(log.path.with_name("edge"))
    keep_up(log, shard, "item")
    shard.close()


KINDS = {"insert": insert, "consolidate": consolidate, "index": index, "edge": edge}


def main(folder: str, kind: str, first: str, count: str) -> None:
    log = BankLog(Path(folder) / "memory.db", hide_secret)
    log.fix_space(SPACE, DIMENSIONS, CAUSE)
    os.write(1, b"begun\n")
    for batch in range(int(first), int(first) + int(count)):
        KINDS[kind](log, batch)
        os.write(1, f"{batch}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
