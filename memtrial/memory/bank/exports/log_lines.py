"""A bank's log as JSON lines: one of the whole, then one an event.

Everything else of a bank is read from its log, so that this is all of it.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.hash_chain import GENESIS, LogRow, check_chain
from memtrial.memory.stored_item import MemoryFault

FORMAT: Literal["memtrial bank"] = "memtrial bank"


class _ExportPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class ExportHead(_ExportPart):
    """Whose log it is, how many events it has, and the digest of the last: a cut file is noticed."""

    format: Literal["memtrial bank"]
    version: Literal[1]
    bank: str
    events: int
    digest: str


class ExportRow(_ExportPart):
    """An event as it lies in the log; `vector` is base64, empty for none."""

    sequence: int
    id: str
    moment: float
    who: str
    why: str
    kind: str
    body: str
    vector: str
    digest: str


Part = TypeVar("Part", ExportHead, ExportRow)


@dataclass(frozen=True, slots=True)
class LogCopy:
    """A whole log outside of its bank, whose chain is right; each row with its digest."""

    head: ExportHead
    rows: tuple[tuple[LogRow, str], ...]


def export_head(log: BankLog) -> ExportHead:
    """What stands first in an export of a bank as it is now."""
    events, digest = log.last()
    return ExportHead(format=FORMAT, version=1, bank=log.id, events=events, digest=digest)


def export_rows(log: BankLog, head: ExportHead) -> Iterator[ExportRow]:
    """The events of an export, up to the last of its head; MemoryFault where the log was changed."""
    log.check()
    for row, digest in log.rows(head.events):
        yield ExportRow(
            sequence=row.sequence,
            id=row.id,
            moment=row.moment,
            who=row.who,
            why=row.why,
            kind=row.kind,
            body=row.body,
            vector=b64encode(row.vector or b"").decode(),
            digest=digest,
        )


def write_lines(log: BankLog) -> Iterator[str]:
    """The lines of an export, each with its end."""
    head = export_head(log)
    yield head.model_dump_json() + "\n"
    for row in export_rows(log, head):
        yield row.model_dump_json() + "\n"


def read_lines(lines: Iterable[str | bytes], name: str) -> LogCopy:
    """The log of an export's lines.

    Raises:
        MemoryFault: it is cut short, damaged or no export; the message names the file and the line.
    """
    rest = iter(lines)
    head = _read_line(ExportHead, next(rest, ""), name, 1)
    rows = []
    for number, line in enumerate(rest, 2):
        row = _read_line(ExportRow, line, name, number)
        rows.append((_log_row(row, name, number), row.digest))
    try:
        last = check_chain(rows)
    except MemoryFault as fault:
        raise MemoryFault(f"{name} is damaged: {fault}") from fault
    if (len(rows), last) != (head.events, head.digest if rows else GENESIS):
        raise MemoryFault(
            f"{name} is damaged: it says that it has {head.events} events and has {len(rows)};"
            " nothing was imported: export the bank once more"
        )
    return LogCopy(head, tuple(rows))


def _log_row(row: ExportRow, name: str, number: int) -> LogRow:
    try:
        vector = b64decode(row.vector, validate=True) or None
    except Base64Error as fault:
        raise MemoryFault(f"{name} is damaged: line {number} has a vector that is no base64") from fault
    return LogRow(row.sequence, row.id, row.moment, row.who, row.why, row.kind, row.body, vector)


def _read_line(kind: type[Part], line: str | bytes, name: str, number: int) -> Part:
    try:
        return kind.model_validate_json(line)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        raise MemoryFault(
            f"{name} is no export of a bank, or damaged: line {number}, {where}: {first['msg'].lower()};"
            " nothing was imported: name what `memtrial memory export` wrote"
        ) from fault
