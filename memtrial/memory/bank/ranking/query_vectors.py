"""Vectors of queries, kept for a short while: a task asks again within seconds (seeds/003, section 3)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from memtrial.models.embeddings.embedding import Array
from memtrial.protocols import Embedder

MOST_KEPT = 256


@dataclass
class QueryVectors:
    """An embedder that remembers.

    Args:
        seconds: how long a vector is kept; 0 keeps none.
        clock: gives seconds, and never goes back.
    """

    embedder: Embedder
    seconds: float
    clock: Callable[[], float]
    _kept: dict[str, tuple[float, Array]] = field(default_factory=dict, init=False)

    async def vector(self, query: str) -> Array:
        """The vector of a query, shape (d,); faults are those of the embedder."""
        now = self.clock()
        # the oldest stand first, and all are kept equally long
        while self._kept and now - next(iter(self._kept.values()))[0] >= self.seconds:
            del self._kept[next(iter(self._kept))]
        if query in self._kept:
            return self._kept[query][1]
        vectors = await self.embedder.embed((query,))
        vector: Array = vectors[0]
        self._kept.pop(query, None)  # somebody else may have waited for the same one
        self._kept[query] = (now, vector)
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return vector
