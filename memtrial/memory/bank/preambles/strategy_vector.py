"""Chosen items as a vector of fixed length, for a decoder that takes no text (seeds/000, section 5)."""

from collections.abc import Sequence

import numpy as np

from memtrial.models.embeddings.embedding import Array


def blend_vectors(vectors: Array, scores: Sequence[float]) -> Array:
    """The mean of the items' vectors at length one, each by its score; shape (d,), no longer than 1.

    Args:
        vectors: of the items, shape (n, d); none of them give zero.
        scores: of the items; none below zero counts.

    Raises:
        ValueError: not one score an item, or a figure that is no number.
    """
    weights = np.maximum(np.asarray(scores, dtype=np.float64), 0.0)
    if vectors.ndim != 2 or weights.shape != (len(vectors),):
        raise ValueError(f"one score an item is needed; got {weights.shape} of vectors {vectors.shape}")
    exact = vectors.astype(np.float64)
    if not (np.isfinite(exact).all() and np.isfinite(weights).all()):
        raise ValueError("vectors and scores are finite numbers; one of these is not")
    lengths = np.sqrt(np.einsum("nd,nd->n", exact, exact))[:, None]
    rows = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    total = weights.sum()
    mean = weights @ rows / total if total > 0 else np.zeros(vectors.shape[1])
    length = np.sqrt(mean @ mean)
    # single precision rounds up as well as down
    return np.asarray(mean / max(1.0, length * (1 + 1e-6)), dtype=np.float32)
