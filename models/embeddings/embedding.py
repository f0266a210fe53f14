"""Texts as vectors that know which embedder made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class SpaceFault(ValueError):
    """Vectors of different embedders or dimensions were combined; their products mean nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors of one space.

    Args:
        space: the identity of the embedder that made them, with all its settings.
        array: one row a text, shape (n, d), float32, not necessarily of length one.
        tokens: what a provider counted for them; 0 where nothing is paid.
        answered: the model id that the provider named, if any.
    """

    space: str
    array: Array
    tokens: int = 0
    answered: str = ""


class Embedder(Protocol):
    """Text in, vectors out; the same text always gives the same vector."""

    @property
    def space(self) -> str:
        """Names everything that determines the vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, in order; raises ModelFault where there are none."""


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

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n_texts, dimensions)."""
        from sklearn.feature_extraction.text import HashingVectorizer

        if not texts:
            return Vectors(self.space, np.zeros((0, self.dimensions), dtype=np.float32))
        vectorizer = HashingVectorizer(
            n_features=self.dimensions,
            ngram_range=(1, 2),
            token_pattern=r"(?u)\b\w+\b",  # the library's own pattern drops words of one letter
            lowercase=True,
            alternate_sign=True,
            norm="l2",
        )
        return Vectors(self.space, vectorizer.transform(texts).toarray().astype(np.float32))


def unit(array: Array) -> Array:
    """Each row at length one, shape (n, d); a zero row stays zero."""
    length = np.linalg.norm(array, axis=1, keepdims=True)
    return np.ascontiguousarray(array / np.where(length > 0, length, 1), dtype=np.float32)


def require_same_space(a: Vectors, b: Vectors) -> None:
    """Raise SpaceFault for vectors that cannot be compared."""
    if a.space != b.space or a.array.shape[1] != b.array.shape[1]:
        raise SpaceFault(
            f"vectors of one space are needed, got {a.space!r} with {a.array.shape[1]} dimensions and"
            f" {b.space!r} with {b.array.shape[1]}; embed both with the same embedder"
        )
