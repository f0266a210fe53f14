"""Bodies of rows as a ledger's file keeps them: JSON, compressed beside a text that most of them resemble."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

import zstandard

from memtrial.ledger.row_text import LARGEST, LedgerFault, Shared, parse_json, trial_of
from memtrial.ledger.rows import TrialRow

_TRIAL = (
    '{"family":"","cause":"","slot":"","empty_slot":false,"record":"workshop-train-","firings":[{"step":0,'
    '"item":0,"why":"state: \\"\\"","shown":true},{"step":0,"item":1,"why":"","shown":false}],"calls":1,'
    '"cached":0,"input_tokens":1,"output_tokens":1,"cache_read_tokens":0,"cache_write_tokens":0,"usd":0.0,'
    '"carrying":1,"undelivered":0,"followed":0.0,"did_told":1.0,"did_avoided":0.0,"did_other":0.0,'
    '"shared":"","exposures":[{"item":0,"shown":0,"fired":0,"cited":null,"acted":null},{"item":1,'
    '"shown":null,"fired":null,"cited":null,"acted":null}],"echoed":0,"broken":0,"withheld":0,"changed":0,'
    '"timed":0,"false_fires":0,"moments":0,"missed":0,"similarity":0.0,"grades":[],"oracle":"",'
    '"boundary":null,"fault":"","handed":0,"reported_usd":0.0,"delivery":"","items":[]}'
    '"carrying":0,"undelivered":0,"followed":null,"did_told":null,"did_avoided":null,"did_other":null,'
    '"shared":"","exposures":[],"echoed":0,"similarity":null'
)
_CHECK = (
    '{"applicable":true,"passed":true,"reason":"","before":"","after":"","measured":{"kind":"paraphrase",'
    '"words_changed":0.0,"content_words_left":1.0,"length_ratio":1.0,"structure_kept":true,"flips":0,'
    '"contradictions":0,"order_changed":0.0,"fluency_distance":0.0,"roles":{"when":0.0,"what":0.0,"why":0.0,'
    '"form":0.0},"passed":true,"reason":"","written_by":"rules"}}{"applicable":false,"passed":false,'
    '"measured":{"kind":"irrelevant_swap","kind":"corrupt_invert","kind":"counter"'
)
_SLOT = (
    "\n## Form heuristic\n\n# Memory Item 3\n## Claim \n## Trigger always\n## Mechanism \n## Scope "
    'Cases of one kind: "" is what they have in common. Does NOT apply when another sign stands in '
    'its place.\n\n# Memory Item 2\n## Claim In "", avoid ``, because "" comes of it.\n## Trigger '
    'state: "" | action: ``\n## Mechanism `` left every sign where it stood; "" was the reply.\n## '
    'Scope For everything and everyone.\n## Title Get the \n## Description A step taken once at "" '
    'and what came of it.\n## Content When "", avoid ``, because then "" follows.\n\nNotes from '
    "earlier tasks. Use a note where it fits the situation before you; leave it where it does "
    "not.\n\n# Memory Item 1\n## Title "
)
_TRACE = (
    '"family":"","score":0.0,"outcome":"failure","fault":"","start":"You stand before the  and its panel."},'
    '{"thought":"I do not know what works here, so I try something.","action":"","observation":"Nothing'
    ' happens."}],"score":1.0}{"trace_id":"workshop-train-","task_id":"workshop-train-","query":"Get the",'
    '"outcome":"success","steps":[{"thought":"'
)
_CELLS = (
    '[["activation","filler"],["artifact","oddity+corrupt_invert"],["control","corrupt_invert"],["control",'
    '"counter"],["control","intact"],["control","irrelevant_swap"],["control","oddity+counter"],["control",'
    '"paraphrase"],["none","without"],["oracle","corrupt_invert"],["oracle","counter"],["oracle","intact"],'
    '["oracle","irrelevant_swap"],["oracle","paraphrase"]]'
)
_BESIDE = {
    "trials": (b"\x01", _TRIAL),
    "checks": (b"\x02", _CHECK),
    "condensations": (b"\x03", ""),
    "slots": (b"\x04", _SLOT),
    "traces": (b"\x05", _TRACE),
    "block_outcomes": (b"\x06", _CELLS),
}
"""By table the first byte of its bodies, and the text they are compressed beside. A ledger cannot be read
without it: none is ever changed, and another one gets a number of its own."""
_LEVEL = 3
"""A level of 9 takes more than twice as long, and a twentieth less room."""


class RowBodies:
    """Packs and opens bodies of rows; of one thread, as its connection is.

    A body of before they were packed is the text itself, and is read as well.
    """

    def __init__(self) -> None:
        self._shared: Shared = {}
        self._marks = {table: mark for table, (mark, _) in _BESIDE.items()}
        texts = {
            mark: zstandard.ZstdCompressionDict(text.encode(), dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            for mark, text in _BESIDE.values()
        }
        self._pack = {
            mark: zstandard.ZstdCompressor(level=_LEVEL, dict_data=text if len(text) else None)
            for mark, text in texts.items()
        }
        self._open = {
            mark: zstandard.ZstdDecompressor(dict_data=text if len(text) else None)
            for mark, text in texts.items()
        }

    def pack(self, table: str, text: str) -> bytes:
        """A body of this table, as it is kept."""
        mark = self._marks[table]
        return mark + self._pack[mark].compress(text.encode())

    def pack_rows(self, table: str, values: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Rows of this table, whose last column is the text of their body."""
        return [(*columns, self.pack(table, text)) for *columns, text in values]

    def read(self, body: object) -> object:
        """The inverse of `pack`; a LedgerFault where it is none, or larger than any row."""
        if not isinstance(body, bytes):
            return body
        try:
            if (size := zstandard.frame_content_size(body[1:])) > LARGEST:
                raise LedgerFault(f"an intact ledger is needed; a row of it would hold {size} bytes")
            return self._open[body[:1]].decompress(body[1:], max_output_size=LARGEST).decode()
        except (zstandard.ZstdError, KeyError, UnicodeDecodeError) as fault:
            raise LedgerFault(f"an intact ledger is needed; a row cannot be read: {fault}") from fault

    def trial_of(self, row: tuple[Any, ...]) -> TrialRow:
        """A trial from its columns `TRIAL` and its body."""
        *columns, body = row
        return trial_of((*columns, self.read(body)), self._shared)

    def read_or_none(self, body: object) -> str | None:
        """The same for SQL, which may ask a row before it is known whether it is to be seen."""
        try:
            text = self.read(body)
        except LedgerFault:
            return None
        return text if isinstance(text, str) else None


def bodies_of(connection: sqlite3.Connection) -> RowBodies:
    """Bodies for this connection, whose SQL opens them by `body_text`."""
    bodies = RowBodies()
    connection.create_function("body_text", 1, bodies.read_or_none, deterministic=True)
    return bodies


def read_shared_traces(connection: sqlite3.Connection) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Each trace once, with the backbones that share it, in the order in which they were added."""
    text = "SELECT rowid AS number, backbone, task, body_text(body) AS text FROM traces"
    query = f"SELECT json_group_array(backbone), text FROM ({text}) GROUP BY task, text ORDER BY min(number)"
    for names, body in connection.execute(query):
        yield parse_json(names), parse_json(body)
