"""How near vectors are to each other."""

import numpy as np

from memtrial.models.embeddings.embedding import Array, unit


def cosine(a: Array, b: Array) -> Array:
    """The cosine of every row of `a` with every row of `b`, shape (n_a, n_b); 0 for a zero vector."""
    return np.asarray(unit(a) @ unit(b).T, dtype=np.float32)
