"""Texts as vectors."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class Embedder(Protocol):
    """Text in, vectors out; the same text always gives the same vector."""

    @property
    def space(self) -> str:
        """Names everything that determines the vectors."""

    async def embed(self, texts: Sequence[str]) -> Array:
        """One vector a text, in order, shape (n_texts, d); raises ModelFault where there are none."""


@dataclass(frozen=True, slots=True)
class HashingEmbedder:
    """Words and word pairs, hashed into a fixed number of signed counts of length one.

    Stateless, offline and the same on every machine. It sees shared words, not shared meaning. A text without
    a word is the zero vector.
    """

    dimensions: int = 384

    @property
    def space(self) -> str:
        """All settings of the vectorizer."""
        return f"hashing/words-1-2/lower/signed/l2/{self.dimensions}"

    async def embed(self, texts: Sequence[str]) -> Array:
        return self.vectors(texts)

    def vectors(self, texts: Sequence[str]) -> Array:
        """Vectors of shape (n_texts, dimensions)."""
        counts = np.zeros((len(texts), self.dimensions))
        for row, text in zip(counts, texts, strict=True):
            said = re.findall(r"\w+", text.lower())
            for one in map(_hashed, (*said, *map(" ".join, pairwise(said)))):
                row[abs(one) % self.dimensions] += 1 if one >= 0 else -1
        return unit(counts)


@lru_cache(maxsize=65536)
def _hashed(term: str) -> int:
    """MurmurHash3 of 32 bits, signed: as scikit-learn hashes, which takes a second to load."""
    data, found, all_bits = term.encode(), 0, 2**32 - 1
    for at in range(0, len(data), 4):
        block = int.from_bytes(data[at : at + 4], "little") * 0xCC9E2D51 & all_bits
        found ^= (block << 15 | block >> 17) * 0x1B873593 & all_bits
        if at + 4 <= len(data):
            found = (found << 13 | found >> 19) * 5 + 0xE6546B64 & all_bits
    found ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        found = (found ^ found >> shift) * factor & all_bits
    return found - (found >> 31 << 32)


def unit(array: NDArray[np.floating]) -> Array:
    """Each row at length one, shape (n, d); a zero row stays zero."""
    length = np.linalg.norm(array, axis=1, keepdims=True)
    return np.ascontiguousarray(array / np.where(length > 0, length, 1), dtype=np.float32)
