"""The vectors of texts in FAISS's own format, in a folder: made once, and read again by a resumed run.

A file is named by what it was made of: the texts, in their order, and the space of their embedder. It is a
cache and never trusted: its size, its header, a digest behind the index and one vector that is asked for
anew have to be right, or it is made again. FAISS itself believes what a header says of sizes, and would take
gigabytes for a changed one, so it reads only what begins as it would write this index.
"""

import json
import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from memtrial.memory.retrieval import NearestIndex, make_index
from memtrial.models.embeddings.embedding import Array, unit
from memtrial.private_file import make_private, private, write_private
from memtrial.protocols import Embedder

ENDING = ".faiss"
CLOSE = 1e-6
"""How far a number of a vector may be from that of the same text embedded anew."""


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """Where indices are kept; `say` gets a line where one could not be read or kept."""

    folder: Path
    say: Callable[[str], None]

    async def index(self, texts: Sequence[str], embedder: Embedder) -> NearestIndex:
        """The index of the texts, read where it is kept and kept where it is not."""
        digest = digest_of(texts, embedder.space)
        path = self.folder / f"{digest}{ENDING}"
        if os.path.lexists(path):
            # a blank text has no vector of its own
            number = next((number for number, text in enumerate(texts) if text.strip()), 0)
            sample = unit(await embedder.embed([texts[number]]))
            try:
                return _read(path, digest, len(texts), number, sample)
            except (OSError, IndexFault) as fault:
                self.say(f"the index of {len(texts)} texts is made again; {path}: {_reason(fault)}")
        index = make_index(await embedder.embed(texts))
        try:
            make_private(self.folder)
            write_private(path, to_bytes(index, digest))
        except OSError as fault:
            self.say(f"the index of {len(texts)} texts is not kept; {path}: {_reason(fault)}")
        return index


class IndexFault(ValueError):
    """The bytes are no whole index of what was asked for. The message says what is wrong."""


async def index_texts(texts: Sequence[str], embedder: Embedder, kept: IndexFolder | None) -> NearestIndex:
    """The index of some texts, at least one, from a folder where there is one."""
    return make_index(await embedder.embed(texts)) if kept is None else await kept.index(texts, embedder)


def digest_of(texts: Sequence[str], space: str) -> str:
    """Sha256 of the texts in their order, and of the space of their vectors."""
    return sha256(json.dumps([space, *texts]).encode()).hexdigest()


def to_bytes(index: NearestIndex, digest: str) -> bytes:
    """The index as FAISS writes it, and a digest of that and of what it was made of."""
    import faiss

    body: bytes = faiss.serialize_index(index.flat).tobytes()
    return body + _seal(body, digest)


def from_bytes(raw: bytes, digest: str, n: int, dimensions: int) -> NearestIndex:
    """What `to_bytes` wrote of n texts; IndexFault for anything else."""
    import faiss

    body, seal = raw[: -sha256().digest_size], raw[-sha256().digest_size :]
    if len(raw) != size_of(n, dimensions) or not body.startswith(_header(n, dimensions)):
        raise IndexFault(f"{n} vectors of {dimensions} numbers are needed")
    if seal != _seal(body, digest):
        raise IndexFault("it was changed after it was written, or is of other texts")
    flat = faiss.deserialize_index(np.frombuffer(body, dtype=np.uint8))
    if not isinstance(flat, faiss.IndexFlatIP) or (flat.ntotal, flat.d) != (n, dimensions):
        raise IndexFault("FAISS reads another index from it")
    return NearestIndex(flat)


def size_of(n: int, dimensions: int) -> int:
    """Bytes that `to_bytes` makes of n vectors."""
    row = np.dtype(np.float32).itemsize * dimensions
    return len(_header(n, dimensions)) + n * row + sha256().digest_size


def _read(path: Path, digest: str, n: int, number: int, sample: Array) -> NearestIndex:
    """The index of n texts whose text of this number has the vector `sample` (1, d)."""
    dimensions = sample.shape[1]
    size = size_of(n, dimensions)
    with open(path, "rb", opener=private) as file:
        if os.fstat(file.fileno()).st_size != size:
            raise IndexFault(f"{size} bytes are needed; it has {os.fstat(file.fileno()).st_size}")
        index = from_bytes(file.read(size), digest, n, dimensions)
    if not np.allclose(index.flat.reconstruct(number), sample[0], rtol=0, atol=CLOSE):
        raise IndexFault("the embedder gives other vectors now")
    return index


def _header(n: int, dimensions: int) -> bytes:
    """What FAISS writes before n vectors: that of none, with their number and that of their numbers."""
    import faiss

    empty = faiss.serialize_index(faiss.IndexFlatIP(dimensions)).tobytes()
    return empty[:8] + struct.pack("<q", n) + empty[16:-8] + struct.pack("<Q", n * dimensions)


def _seal(body: bytes, digest: str) -> bytes:
    return sha256(digest.encode() + body).digest()


def _reason(fault: OSError | IndexFault) -> str:
    return fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)
