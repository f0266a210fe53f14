"""Texts as vectors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
EmbedTexts = Callable[[Sequence[str]], Array]
"""Vectors of texts, shape (n, d)."""


@dataclass(frozen=True, slots=True)
class HashingEmbedder:
    """Words and word pairs, hashed into a fixed number of signed counts of length one.

    Stateless, offline and the same on every machine. It sees shared words, not shared meaning. A text without
    a word is the zero vector.

    Args:
        known: vectors of texts that were made elsewhere, shape (dimensions,) each.
    """

    dimensions: int = 384
    known: Mapping[str, Array] = field(default_factory=dict, compare=False, repr=False)

    @property
    def space(self) -> str:
        """All settings of the vectorizer."""
        return f"hashing/words-1-2/lower/signed/l2/{self.dimensions}"

    async def embed(self, texts: Sequence[str]) -> Array:
        return self.vectors(texts)

    def vectors(self, texts: Sequence[str]) -> Array:
        """Vectors of shape (n_texts, dimensions)."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        if self.known.keys() >= set(texts):
            return np.stack([self.known[text] for text in texts])
        from sklearn.feature_extraction.text import HashingVectorizer

        vectorizer = HashingVectorizer(
            n_features=self.dimensions,
            ngram_range=(1, 2),
            token_pattern=r"(?u)\b\w+\b",  # the library's own pattern drops words of one letter
            lowercase=True,
            alternate_sign=True,
            norm="l2",
        )
        return np.asarray(vectorizer.transform(texts).toarray(), dtype=np.float32)


def unit(array: Array) -> Array:
    """Each row at length one, shape (n, d); a zero row stays zero."""
    length = np.linalg.norm(array, axis=1, keepdims=True)
    return np.ascontiguousarray(array / np.where(length > 0, length, 1), dtype=np.float32)
