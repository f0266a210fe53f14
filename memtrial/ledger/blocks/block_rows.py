"""The rows of a ledger's file that say how the trials of a block ended, beside the trials themselves.

A row is written in the transaction that adds the trials, and says what they added: all of a block, or those
that had ended as an error and were played again. It has a seal, as any row. Who looks at a run reads these
rows in the place of twenty times as many, where they speak of every trial and the files are known to be as
they were left (`audit_note.py`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from memtrial.ledger.blocks.block_outcomes import BlockOutcomes, Place
from memtrial.ledger.row_text import parse_json, text_of
from memtrial.ledger.rows import Status, TrialRow
from memtrial.ledger.sqlite.row_bodies import RowBodies
from memtrial.ledger.trial_cells import Cell

_LETTERS: Mapping[Status, str] = {"success": "s", "failure": "f", "error": "e"}
"""A status in a row; a capital letter where the trial had an attempt before."""
_STATUSES: Mapping[str, Status] = {letter: status for status, letter in _LETTERS.items()}
_SCORES: Mapping[Status, float | None] = {"success": 1.0, "failure": 0.0, "error": None}
"""What a trial scores where nothing else is said."""
_ADD = "INSERT INTO main.block_outcomes VALUES (NULL, ?, ?, ?, ?, ?, ?)"
_PLAYED = "SELECT DISTINCT key FROM main.trials WHERE key IN (SELECT value FROM json_each(?))"
_READ = "SELECT backbone, task, repeat, cells, statuses, scores FROM block_outcomes ORDER BY rowid"


class OutcomeRows:
    """Writes and reads these rows; of one thread, as the connection is."""

    def __init__(self, connection: sqlite3.Connection, bodies: RowBodies) -> None:
        self._connection, self._bodies = connection, bodies
        self._packed: dict[str, bytes] = {}  # a run has few lists of cells

    def add(self, rows: Iterable[TrialRow]) -> None:
        """Within a transaction, and before these trials are added: what they are going to add."""
        blocks: dict[Place, list[TrialRow]] = {}
        for row in rows:
            blocks.setdefault((row.backbone, row.task, row.repeat), []).append(row)
        keys = text_of([row.key for own in blocks.values() for row in own])
        played = {key for (key,) in self._connection.execute(_PLAYED, (keys,))}
        values = [(*place, *self._pack(own, played)) for place, own in blocks.items()]
        self._connection.executemany(_ADD, values)

    def _pack(self, rows: list[TrialRow], played: set[str]) -> tuple[bytes, str, str]:
        """Cells, statuses and scores of the trials of one block; `played` takes in their keys."""
        cells, letters = [], ""
        # sorted by cell, so that many blocks have the same list; two attempts of one trial keep their order
        ordered = sorted(rows, key=lambda row: (row.arm, row.condition))
        for row in ordered:
            letter = _LETTERS[row.status]
            letters += letter.upper() if row.key in played else letter
            played.add(row.key)
            cells.append((row.arm, row.condition))
        text = text_of(cells)
        if (packed := self._packed.get(text)) is None:
            packed = self._packed[text] = self._bodies.pack("block_outcomes", text)
        plain = all(row.score == _SCORES[row.status] for row in ordered)
        return packed, letters, "" if plain else text_of([row.score for row in ordered])

    def read(self) -> tuple[BlockOutcomes, ...] | None:
        """All blocks, each once; None where these rows do not speak of every trial, as in a ledger that was
        begun before there were any, or where one does not follow on another."""
        lists: dict[bytes, tuple[Cell, ...]] = {}
        blocks: dict[Place, BlockOutcomes] = {}
        spoken_of = 0
        for backbone, task, repeat, packed, letters, scores in self._connection.execute(_READ):
            if (cells := lists.get(packed)) is None:
                cells = lists[packed] = tuple(map(tuple, parse_json(self._bodies.read(packed))))
            statuses = tuple(map(_STATUSES.__getitem__, letters.lower()))
            numbers = json.loads(scores) if scores else map(_SCORES.__getitem__, statuses)
            added = BlockOutcomes(backbone, task, repeat, cells, statuses, tuple(numbers))
            before = blocks.get(added.place)
            block = added if before is None and letters.islower() else _add_to(before, added, letters)
            if block is None:
                return None
            blocks[added.place] = block
            spoken_of += len(letters)
        query = "SELECT coalesce(max(rowid), 0) FROM main.trials"
        (there,) = self._connection.execute(query).fetchone()
        return tuple(blocks.values()) if spoken_of == there else None


def _add_to(before: BlockOutcomes | None, added: BlockOutcomes, letters: str) -> BlockOutcomes | None:
    """A block with further trials, or further attempts; None where an attempt does not follow an error."""
    ended = () if before is None else zip(before.cells, before.statuses, before.scores, strict=True)
    outcomes = {cell: (status, score) for cell, status, score in ended}
    if before is not None and len(outcomes) < len(before.cells):
        return None
    for letter, cell, status, score in zip(letters, added.cells, added.statuses, added.scores, strict=True):
        if outcomes.get(cell, ("",))[0] != ("error" if letter.isupper() else ""):
            return None
        outcomes[cell] = status, score
    return BlockOutcomes(*added.place, tuple(outcomes), *zip(*outcomes.values(), strict=True))
