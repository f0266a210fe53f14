"""An index in Qdrant: its client against a server, or in this process where it is given a path or `:memory:`.

Filters are conditions on payloads, which the server checks while it searches; vectors are compared one by
one, not by a graph, so that the answer is that of every other index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

INSTALL = "pip install 'memtrial[qdrant]' installs it"


class QdrantIndex:
    """One collection of a Qdrant.

    Args:
        client: of a server, or in process.
        collection: its name; nothing else may use it.
        served: it is a server's, which compares with a graph unless it is asked not to.
    """

    def __init__(self, client: QdrantClient, collection: str, served: bool) -> None:
        self.client, self.collection, self.served = client, collection, served

    def mark(self) -> IndexMark | None:
        with self._faults():
            if not self.client.collection_exists(self.collection):
                return None
            points = self.client.retrieve(self.collection, [MARK_POINT], with_payload=True)
        return read_mark(points[0].payload) if points else None

    def clear(self, mark: IndexMark) -> None:
        from qdrant_client import models

        with self._faults():
            if self.client.collection_exists(self.collection):
                self.client.delete_collection(self.collection)
            size = models.VectorParams(size=mark.dimensions, distance=models.Distance.DOT)
            self.client.create_collection(self.collection, vectors_config=size)
            self._set_mark(mark)

    def write(self, items: Sequence[IndexedItem], gone: Sequence[str], mark: IndexMark) -> None:
        from qdrant_client import models

        points = [
            models.PointStruct(id=point_id(item.id), vector=item.vector.tolist(), payload=payload_of(item))
            for item in items
        ]
        with self._faults():
            if points:
                self.client.upsert(self.collection, points, wait=True)
            if gone:
                lost = models.PointIdsList(points=[point_id(item_id) for item_id in gone])
                self.client.delete(self.collection, lost, wait=True)
            self._set_mark(mark)

    def candidates(self, query: Array, size: int, asked: ItemFilter) -> Sequence[Candidate]:
        from qdrant_client import models

        with self._faults():
            drawn = self.client.query_points(
                self.collection,
                query=query.tolist(),
                query_filter=_condition(asked),
                limit=size,
                with_vectors=True,
                with_payload=["item"],
                search_params=models.SearchParams(exact=True) if self.served else None,
            ).points
        return [
            Candidate(str((point.payload or {})["item"]), np.asarray(point.vector, np.float32), point.score)
            for point in drawn
        ]

    def close(self) -> None:
        with self._faults():
            self.client.close()

    def _set_mark(self, mark: IndexMark) -> None:
        from qdrant_client import models

        nowhere = [0.0] * mark.dimensions
        point = models.PointStruct(id=MARK_POINT, vector=nowhere, payload=mark_payload(mark))
        self.client.upsert(self.collection, [point], wait=True)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        from qdrant_client.http.exceptions import ApiException

        try:
            yield
        except (ApiException, OSError, ValueError) as fault:
            line = " ".join(str(fault).split())[:300]
            raise MemoryFault(f"Qdrant cannot be used, collection {self.collection!r}: {line}") from fault


def open_qdrant(place: str, collection: str) -> QdrantIndex:
    """An index in a Qdrant: an address of a server, the path of a folder, or `:memory:`.

    Raises:
        MemoryFault: the client is not installed, or nothing answers there.
    """
    try:
        from qdrant_client import QdrantClient
    except ImportError as fault:
        raise MemoryFault(f"an index in Qdrant needs its client; {INSTALL}") from fault
    try:
        served = place.startswith(("http://", "https://"))
        if served:
            client = QdrantClient(url=place)
        else:
            client = QdrantClient(location=place) if place == ":memory:" else QdrantClient(path=place)
    except (OSError, RuntimeError, ValueError) as fault:
        raise MemoryFault(f"Qdrant at {place!r} cannot be opened: {' '.join(str(fault).split())}") from fault
    return QdrantIndex(client, collection, served)


def _condition(asked: ItemFilter) -> models.Filter:
    from qdrant_client import models

    must: list[models.Condition] = [
        models.FieldCondition(key="project", match=models.MatchAny(any=list(asked.projects))),
        models.FieldCondition(key="standing", match=models.MatchAny(any=list(asked.standings))),
        models.FieldCondition(
            key="confidence", range=models.Range(gte=asked.least_confidence, gt=asked.above)
        ),
    ]
    if asked.domain:
        must.append(models.FieldCondition(key="domain", match=models.MatchValue(value=asked.domain)))
    if asked.outcome is not None:
        must.append(models.FieldCondition(key="outcome", match=models.MatchValue(value=asked.outcome)))
    for tag in asked.tags:
        must.append(models.FieldCondition(key="tags", match=models.MatchValue(value=tag)))
    return models.Filter(must=must)
