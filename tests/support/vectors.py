"""How near vectors are to each other."""

from __future__ import annotations

import numpy as np

from loadbearing.models.embeddings.embedding import Array, Vectors, require_same_space, unit


def cosine(a: Vectors, b: Vectors) -> Array:
    """The cosine of every row of `a` with every row of `b`, shape (n_a, n_b); 0 for a zero vector."""
    require_same_space(a, b)
    return np.asarray(unit(a.array) @ unit(b.array).T, dtype=np.float32)
