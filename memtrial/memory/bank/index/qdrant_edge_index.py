"""An index in Qdrant Edge: Qdrant's own engine in this process, without a server, in a folder."""

from __future__ import annotations

from collections.abc import Sequence
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

    Args:
        folder: holds nothing else; made where there is none.

    Raises:
        MemoryFault: Qdrant Edge is not installed, or the folder cannot be used.
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
        except OSError as fault:
            raise MemoryFault(f"the index {folder} cannot be used: {fault.strerror}") from fault
        self.folder = folder
        self._shard: EdgeShard | None = None
        self._load()

    def mark(self) -> IndexMark | None:
        if self._shard is None:
            return None
        points = self._shard.retrieve([MARK_POINT], with_payload=True, with_vector=False)
        return read_mark(points[0].payload) if points else None

    def clear(self, mark: IndexMark) -> None:
        from qdrant_edge import Distance, EdgeConfig, EdgeShard, EdgeVectorParams

        self.close()
        numbers = [int(path.name.removeprefix(f"{SHARD}-")) for path in self._shards()]
        folder = self.folder / f"{SHARD}-{max(numbers, default=0) + 1}"
        make_private(folder)
        config = EdgeConfig(vectors=EdgeVectorParams(size=mark.dimensions, distance=Distance.Dot))
        self._shard = EdgeShard.create(str(folder), config)
        self._set_mark(mark)

    def write(self, items: Sequence[IndexedItem], gone: Sequence[str], mark: IndexMark) -> None:
        from qdrant_edge import Point, UpdateOperation

        shard = self._open_shard()
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
        return [
            Candidate(
                str((point.payload or {})["item"]), np.asarray(point.vector, dtype=np.float32), point.score
            )
            for point in self._open_shard().query(request)
        ]

    def close(self) -> None:
        if self._shard is not None:
            self._shard.flush()
            self._shard.close()
            self._shard = None

    def _open_shard(self) -> EdgeShard:
        if self._shard is None:
            raise MemoryFault(f"the index {self.folder} is closed, or was never begun; open it again")
        return self._shard

    def _set_mark(self, mark: IndexMark) -> None:
        from qdrant_edge import Point, UpdateOperation

        point = Point(MARK_POINT, [0.0] * mark.dimensions, mark_payload(mark))
        shard = self._open_shard()
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
            try:
                self._shard = EdgeShard.load(str(shards[-1]))
            except (OSError, RuntimeError, ValueError):
                self._shard = None


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
