"""The chain of digests over a log: each is of the one before and of its own event.

Whoever keeps the last digest can tell whether anything before it was changed, left out or put in.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from memtrial.memory.bank.events.item_body import canonical
from memtrial.memory.stored_item import MemoryFault

GENESIS = "0" * 64
"""What stands in the place of the digest before the first event."""


class LogRow(NamedTuple):
    """An event as it lies in the log, not yet read. The fields are those of `LoggedEvent`; the numbers of a
    vector stand last."""

    sequence: int
    id: str
    moment: float
    who: str
    why: str
    kind: str
    body: str
    vector: bytes | None


def chain(before: str, row: LogRow) -> str:
    """The digest of a row behind the digest of the row before it, in hex."""
    head = canonical([before, *row[:-1]])
    return sha256(head.encode("utf-8", "surrogatepass") + b"\n" + (row.vector or b"")).hexdigest()


def check_chain(rows: Iterable[tuple[LogRow, str]]) -> str:
    """The last digest of rows with their digests, from the first on.

    Raises:
        MemoryFault: a row was changed, is missing or stands in another place; the line names the first.
    """
    before = GENESIS
    for number, (row, digest) in enumerate(rows, 1):
        if row.sequence != number or chain(before, row) != digest:
            raise MemoryFault(
                f"an unchanged log is needed; event {number} is not the one that was written, or one before"
                " it is missing: take the bank from an export or a copy"
            )
        before = digest
    return before
