"""Texts of items as vectors of the bank's own embedder, made before anything is written.

An embedder that fails leaves nothing half done: its vectors are there before the batch begins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.memory.bank.events.bank_events import Cause, VectorAdded, VectorKey
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.models.embeddings.embedding import Array
from memtrial.protocols import Embedder


@dataclass(frozen=True, slots=True)
class KeyText:
    """A text by which an item is to be searched."""

    item_id: str
    key: VectorKey
    text: str


async def embed_texts(
    log: BankLog, embedder: Embedder, texts: Sequence[KeyText], cause: Cause
) -> tuple[VectorAdded, ...]:
    """The vectors of texts, redacted, as events to append behind those of their items.

    Raises:
        MemoryFault: the bank's embedder is another.
        ModelFault: the embedder gives none.
    """
    if not texts:
        return ()
    vectors = await embedder.embed([log.redact(text.text) for text in texts])
    return note_vectors(log, embedder.space, texts, vectors, cause)


def note_vectors(
    log: BankLog, space: str, texts: Sequence[KeyText], vectors: Array, cause: Cause
) -> tuple[VectorAdded, ...]:
    """The same of vectors that are there, a row a text, shape (n, d), of the embedder of this space.

    Raises:
        MemoryFault: the bank's embedder is another.
    """
    log.fix_space(space, int(vectors.shape[1]), cause)
    return tuple(
        VectorAdded(text.item_id, text.key, np.asarray(vector, dtype="<f4").tobytes())
        for text, vector in zip(texts, vectors, strict=True)
    )
