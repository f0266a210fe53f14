"""What was said in the trials of one block, packed together: large, much alike, and seldom read."""

import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import zstandard
from pydantic_core import from_json

from memtrial.ledger.row_text import (
    LARGEST,
    LedgerFault,
    name_values,
    read_mapping,
    unpack_episode,
    whole_episode,
    write_body,
)
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.tables import LAST

_POINTER = struct.Struct(">cH")
_ABOVE = b"\x01"
"""A body of three bytes: this mark, and how many rows above stands the body that holds this one, too."""
_MOST = 4 * 2**20
"""Bytes of text packed together, so that one of them is soon read; a longer one is alone."""
_MOST_ROWS = 2**16 - 1
_LEVEL = 3
"""A level of 9 takes four times as long, and a sixth less room."""
_STEPS, _AFTER_STEPS = b'{"steps":', b',"conversation":'


def pack_episodes(rows: Iterable[TrialRow], episodes: Iterable[EpisodeRow]) -> list[tuple[str, bytes]]:
    """Key and body of each episode, in their order; the first of a block holds the others.

    Only a block's are packed together: where one cannot be trusted, the whole block is left out.
    """
    places = {row.key: (row.backbone, row.task, row.repeat) for row in rows}
    packer, packed = zstandard.ZstdCompressor(level=_LEVEL), []
    for keys, lines in _cut_blocks(episodes, places):
        packed.append((keys[0], packer.compress(b"\n".join(lines))))
        packed += [(key, _POINTER.pack(_ABOVE, above)) for above, key in enumerate(keys[1:], 1)]
    return packed


def _cut_blocks(
    episodes: Iterable[EpisodeRow], places: dict[str, tuple[str, str, int]]
) -> Iterator[tuple[list[str], list[bytes]]]:
    keys: list[str] = []
    lines: list[bytes] = []
    size = 0
    for row in episodes:
        values = name_values(row)
        # the steps stand first, so that they can be read alone
        line = write_body({"steps": values["steps"]} | {k: v for k, v in values.items() if k != "key"})
        size += len(line)
        place = places.get(row.key)
        if keys and (place is None or place != places.get(keys[0]) or size > _MOST or len(keys) > _MOST_ROWS):
            yield keys, lines
            keys, lines, size = [], [], len(line)
        keys.append(row.key)
        lines.append(line)
    if keys:
        yield keys, lines


class EpisodePacks:
    """Reads episodes of a ledger one after the other; of those packed together the pack is opened once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._opener, self._place, self._lines = zstandard.ZstdDecompressor(), 0, [b""]

    def line(self, row: int, body: Any) -> bytes | None:
        """JSON of an episode by the number of its row; None of one of before they were packed together."""
        if not isinstance(body, bytes) or body[:1] == b"x":
            return None
        above = _POINTER.unpack(body)[1] if len(body) == _POINTER.size and body[:1] == _ABOVE else 0
        if row - above != self._place:
            self._lines, self._place = self._open(row - above, body if not above else None), row - above
        try:
            return self._lines[above]
        except IndexError as fault:
            raise LedgerFault(f"an intact ledger is needed; an episode cannot be read: {fault}") from fault

    def _open(self, place: int, body: bytes | None) -> list[bytes]:
        if body is None:
            query = "SELECT body FROM episodes WHERE rowid = ?"
            (body,) = self._connection.execute(query, (place,)).fetchone() or (b"",)
        try:
            if (size := zstandard.frame_content_size(body)) > LARGEST:
                raise LedgerFault(f"an intact ledger is needed; its episodes would hold {size} bytes")
            return self._opener.decompress(body, max_output_size=LARGEST).split(b"\n")
        except (zstandard.ZstdError, TypeError) as fault:
            raise LedgerFault(f"an intact ledger is needed; an episode cannot be read: {fault}") from fault

    def episode(self, key: str, row: int, body: Any) -> EpisodeRow:
        text = self.line(row, body)
        return whole_episode(key, unpack_episode(body) if text is None else read_mapping(text))


def read_episode(connection: sqlite3.Connection, key: str) -> EpisodeRow | None:
    """What was said in the last attempt of a trial."""
    query = f"SELECT rowid, body FROM episodes AS t WHERE key = ? AND {LAST}"
    row = connection.execute(query, (key,)).fetchone()
    return None if row is None else EpisodePacks(connection).episode(key, *row)


def read_steps(connection: sqlite3.Connection) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Key and steps of the last attempt of every trial."""
    packs = EpisodePacks(connection)
    query = f"SELECT key, rowid, body FROM episodes AS t WHERE {LAST} ORDER BY rowid"
    for key, row, body in connection.execute(query):
        text = packs.line(row, body)
        yield key, (unpack_episode(body) if text is None else _read_first(text))["steps"]


def _read_first(text: bytes) -> dict[str, Any]:
    """An episode's values; of one whose steps stand first, these alone."""
    head, cut, _ = text.partition(_AFTER_STEPS)
    if cut and head.startswith(_STEPS):
        with suppress(ValueError):
            values: dict[str, Any] = from_json(head + b"}")
            return values
    return read_mapping(text)
