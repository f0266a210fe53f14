"""Vectors that cost something are saved: no text is embedded twice, in this session or a later one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from loadbearing.models.client.cache import StoreFault, append_only
from loadbearing.models.client.types import ProviderFault
from loadbearing.models.embeddings.embedding import Array, Embedder, Vectors

MOST_TEXTS = 256
MOST_CHARACTERS = 200_000
"""Of one request, as providers limit its tokens; a longer text is sent alone."""

COLUMNS = """key BLOB NOT NULL, space TEXT NOT NULL, answered TEXT NOT NULL, tokens INTEGER NOT NULL,
    vector BLOB NOT NULL, nth INTEGER NOT NULL"""
SCHEMA = (
    *append_only("embeddings", COLUMNS, ("key", "nth"), "a kept vector"),
    "CREATE INDEX IF NOT EXISTS main.embeddings_by_key ON embeddings (key)",
)
# the file may be opened with views that hide damaged rows: a vector that `main` alone has is asked again
INSERT = (
    "INSERT INTO main.embeddings SELECT ?, ?, ?, ?, ?, (SELECT count(*) FROM main.embeddings WHERE key = ?1)"
)


@dataclass(frozen=True, slots=True, eq=False)
class KeptEmbedder:
    """An embedder that asks another one for each text once, and finds it in SQLite afterwards.

    A blank text is the zero vector and is never asked for. The table has the tokens of a request at its first
    row, so that they add up to what was counted.

    Raises:
        StoreFault: the table cannot be created.
    """

    source: Embedder
    connection: sqlite3.Connection

    def __post_init__(self) -> None:
        try:
            for statement in SCHEMA:
                self.connection.execute(statement)
        except sqlite3.OperationalError as fault:
            raise StoreFault(f"the vectors cannot be kept: {fault}") from fault

    @property
    def space(self) -> str:
        """That of the source."""
        return self.source.space

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n_texts, d). d is 0 while no text of this space was ever embedded.

        Raises:
            ModelFault: there is no vector, or the model behind the name changed.
            StoreFault: a vector cannot be kept.
        """
        # a model may write half of a surrogate pair, which plain UTF-8 refuses
        wanted = {
            text: sha256(f"{self.space}\x00{text}".encode("utf-8", "surrogatepass")).digest()
            for text in dict.fromkeys(texts)
            if text.strip()
        }
        there = {text: row for text, key in wanted.items() if (row := self._find(key)) is not None}
        for batch in _batches([text for text in wanted if text not in there]):
            rows = self._fetch(batch, [wanted[text] for text in batch])
            there |= dict(zip(batch, rows, strict=True))
        array = np.zeros((len(texts), self._before()[0]), dtype=np.float32)
        for place, text in enumerate(texts):
            if text in there:
                array[place] = there[text]
        return Vectors(self.space, array)

    def _fetch(self, texts: Sequence[str], keys: Sequence[bytes]) -> Array:
        """Ask, and commit before the answer is used."""
        found = self.source.embed(texts)
        length, answered = self._before()
        if length and (found.array.shape[1], found.answered) != (length, answered):
            raise ProviderFault(
                f"the embedder {self.space!r} answered as {found.answered!r} with {found.array.shape[1]}"
                f" dimensions, before as {answered!r} with {length}; vectors of two models cannot be"
                " compared: begin a new run",
                "other model",
                heals=False,
            )
        tokens = (found.tokens, *[0] * (len(texts) - 1))
        rows = [
            (key, self.space, found.answered, used, row.astype("<f4").tobytes())
            for key, used, row in zip(keys, tokens, found.array, strict=True)
        ]
        try:
            with self.connection:
                self.connection.executemany(INSERT, rows)
        except sqlite3.OperationalError as fault:
            raise StoreFault(f"the vectors cannot be kept: {fault}") from fault
        return found.array

    def _find(self, key: bytes) -> Array | None:
        row = self.connection.execute("SELECT vector FROM embeddings WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype="<f4").astype(np.float32)

    def _before(self) -> tuple[int, str]:
        """The dimension of the space and the model that answered first; 0 and empty while there is none."""
        query = "SELECT length(vector), answered FROM embeddings WHERE space = ? ORDER BY rowid LIMIT 1"
        row = self.connection.execute(query, (self.space,)).fetchone()
        return (0, "") if row is None else (row[0] // 4, row[1])


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) == MOST_TEXTS or sum(map(len, batch)) + len(text) > MOST_CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
