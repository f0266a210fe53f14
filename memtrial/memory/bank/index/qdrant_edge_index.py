"""An index in Qdrant Edge: Qdrant's own engine in this process, without a server, in a folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.memory.bank.index.point_payload import (
    MARK_POINT,
    mark_payload,
    payload_of,
    point_id,
    read_mark,
)
from memtrial.memory.bank.index.vector_index import Candidate, IndexedItem, IndexMark
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array
from memtrial.private_file import make_private

if TYPE_CHECKING:
    from qdrant_edge import EdgeShard, Filter

SHARD = "edge"


class QdrantEdgeIndex:
    """Shards of Qdrant Edge in a folder: a new one each time that the index is begun again.

    One process at a time has the folder open; the system lets go of it when the process ends.

    Args:
        folder: holds nothing else; made where there is none.

    Raises:
        MemoryFault: Qdrant Edge is not installed, the folder cannot be used, or it is open already.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import qdrant_edge as _  # noqa: F401
        except ImportError as fault:
            raise MemoryFault(
                "an index in Qdrant Edge needs its library; pip install 'memtrial[qdrant]' installs it"
            ) from fault
        try:
            make_private(folder)
            self._lock = _take_lock(folder)
        except OSError as fault:
            raise MemoryFault(f"the index {folder} cannot be used: {fault.strerror}") from fault
        self.folder = folder
        self._shard: EdgeShard | None = None
        self._load()

    def mark(self) -> IndexMark | None:
        if self._shard is None:
            return None
        with self._faults():
            points = self._shard.retrieve([MARK_POINT], with_payload=True, with_vector=False)
        return read_mark(points[0].payload) if points else None

    def clear(self, mark: IndexMark) -> None:
        from qdrant_edge import Distance, EdgeConfig, EdgeShard, EdgeVectorParams

        self._let_go()
        numbers = [int(path.name.removeprefix(f"{SHARD}-")) for path in self._shards()]
        folder = self.folder / f"{SHARD}-{max(numbers, default=0) + 1}"
        make_private(folder)
        config = EdgeConfig(vectors=EdgeVectorParams(size=mark.dimensions, distance=Distance.Dot))
        with self._faults():
            self._shard = EdgeShard.create(str(folder), config)
        self._set_mark(mark)

    def write(self, items: Sequence[IndexedItem], gone: Sequence[str], mark: IndexMark) -> None:
        from qdrant_edge import Point, UpdateOperation

        shard = self._open_shard()
        with self._faults():
            if items:
                points = [Point(point_id(item.id), item.vector.tolist(), payload_of(item)) for item in items]
                shard.update(UpdateOperation.upsert_points(points))
            if gone:
                shard.update(UpdateOperation.delete_points([point_id(item_id) for item_id in gone]))
            # the mark is on the disk after what it stands for
            shard.flush()
        self._set_mark(mark)

    def candidates(self, query: Array, size: int, asked: ItemFilter) -> Sequence[Candidate]:
        from qdrant_edge import Query, QueryRequest, SearchParams

        request = QueryRequest(
            limit=size,
            query=Query.Nearest(query.tolist()),
            filter=_edge_condition(asked),
            with_vector=True,
            with_payload=True,
            params=SearchParams(exact=True),
        )
        shard = self._open_shard()
        with self._faults():
            points = shard.query(request)
        return [
            Candidate(
                str((point.payload or {})["item"]), np.asarray(point.vector, dtype=np.float32), point.score
            )
            for point in points
        ]

    def close(self) -> None:
        try:
            self._let_go()
        finally:
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def _let_go(self) -> None:
        shard, self._shard = self._shard, None
        if shard is not None:
            with self._faults():
                shard.flush()
                shard.close()

    def _open_shard(self) -> EdgeShard:
        if self._shard is None:
            raise MemoryFault(f"the index {self.folder} is closed, or was never begun; open it again")
        return self._shard

    def _set_mark(self, mark: IndexMark) -> None:
        from qdrant_edge import Point, UpdateOperation

        point = Point(MARK_POINT, [0.0] * mark.dimensions, mark_payload(mark))
        shard = self._open_shard()
        with self._faults():
            shard.update(UpdateOperation.upsert_points([point]))
            shard.flush()

    def _shards(self) -> list[Path]:
        return sorted(
            (path for path in self.folder.iterdir() if path.name.removeprefix(f"{SHARD}-").isdecimal()),
            key=lambda path: int(path.name.removeprefix(f"{SHARD}-")),
        )

    def _load(self) -> None:
        """Take over the newest shard; one that cannot be read is left, and the index made anew."""
        from qdrant_edge import EdgeShard

        shards = self._shards()
        if shards:
            with suppress(MemoryFault), self._faults():
                self._shard = EdgeShard.load(str(shards[-1]))

    def _faults(self) -> _EdgeFaults:
        return _EdgeFaults(self.folder)


@dataclass(frozen=True, slots=True)
class _EdgeFaults:
    """A block in which the library is used: what it raises, the bare class Exception among it, comes out as a
    MemoryFault."""

    folder: Path

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, fault: BaseException | None, __: object) -> None:
        if type(fault) is Exception or isinstance(fault, OSError | RuntimeError | ValueError):
            line = " ".join(str(fault).split())[:300]
            raise MemoryFault(f"the index {self.folder} cannot be used: {line}") from fault


def _take_lock(folder: Path) -> int | None:
    """A lock on the folder, which ends with the process at the latest."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as fault:
        os.close(held)
        raise MemoryFault(
            f"the index {folder} is open already: close it there, or name another folder"
        ) from fault
    return held


def _edge_condition(asked: ItemFilter) -> Filter:
    from qdrant_edge import FieldCondition, Filter, MatchAny, MatchValue, RangeFloat

    projects, standings = list(asked.projects), [str(standing) for standing in asked.standings]
    must = [
        FieldCondition("project", match=MatchAny(projects)),
        FieldCondition("standing", match=MatchAny(standings)),
        FieldCondition("confidence", range=RangeFloat(gte=asked.least_confidence, gt=asked.above)),
    ]
    if asked.domain:
        must.append(FieldCondition("domain", match=MatchValue(asked.domain)))
    if asked.outcome is not None:
        must.append(FieldCondition("outcome", match=MatchValue(asked.outcome)))
    must += [FieldCondition("tags", match=MatchValue(tag)) for tag in asked.tags]
    return Filter(must=[*must])
