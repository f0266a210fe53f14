"""Banks to files and back: `.jsonl` and `.parquet`, by the name's ending. All of it is there, or nothing."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path

from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.hash_chain import GENESIS, LogRow
from memtrial.memory.bank.events.item_body import event_body, read_event
from memtrial.memory.bank.events.redacted_events import Redact, redact_value
from memtrial.memory.bank.exports.log_lines import (
    ExportHead,
    LogCopy,
    export_head,
    export_rows,
    read_lines,
    write_lines,
)
from memtrial.memory.bank.exports.parquet_lines import HEAD, lines_of
from memtrial.memory.stored_item import MemoryFault
from memtrial.private_file import DRAFT, database_files, private, write_private

LINES, PARQUET = ".jsonl", ".parquet"
ENDINGS = (LINES, PARQUET)


def export_log(log: BankLog, path: Path) -> ExportHead:
    """Write a bank into a file.

    Raises:
        MemoryFault: the ending is another, the log was changed, or the file cannot be written.
    """
    head = export_head(log)
    content = "".join(write_lines(log)) if _ending(path) == LINES else _to_parquet(log, head)
    with _usable(path):
        write_private(path, content)
    return head


def read_export(path: Path) -> LogCopy:
    """What a file holds; MemoryFault where it is no whole export."""
    with _usable(path), open(path, "rb", opener=private) as file:
        lines = file if _ending(path) == LINES else lines_of(file, path)
        return read_lines(lines, str(path))


def import_log(copy: LogCopy, target: Path, redact: Redact) -> ExportHead:
    """Make a bank of what `read_export` gives: the same events, and so the same items and id.

    Its texts pass the redactor as any other: where that takes out what an earlier one did not, events differ
    in this, and their digests.

    Raises:
        MemoryFault: there is a bank already, or an event is not sound; nothing is made.
    """
    _refuse_bank(target)
    draft = target.with_name(f"{DRAFT}{target.name}")
    if left := [str(file) for file in database_files(draft) if os.path.lexists(file)]:
        raise MemoryFault(f"an import that was stopped left {', '.join(left)}; remove first what it left")
    try:
        with _usable(target):
            _fill(copy, draft, redact)
            _publish(draft, target)
    finally:
        for file in database_files(draft):
            with suppress(FileNotFoundError):
                file.unlink()
    return copy.head


def _refuse_bank(target: Path) -> None:
    if os.path.lexists(target):
        raise MemoryFault(f"a folder without a bank is needed; {target} is there: name another, or move it")


def _publish(draft: Path, target: Path) -> None:
    """Give the draft its name, unless somebody took that in the meantime."""
    try:
        # a second name takes no other file's place
        os.link(draft, target)
    except FileExistsError:
        _refuse_bank(target)
    except OSError:  # a file system where a file has one name
        _refuse_bank(target)
        os.replace(draft, target)


def _fill(copy: LogCopy, draft: Path, redact: Redact) -> None:
    log = BankLog(draft, redact)
    try:
        with log.transaction():
            log.connection.execute("UPDATE bank SET body = ? WHERE name = 'id'", (copy.head.bank,))
            before = GENESIS
            for row, _ in copy.rows:
                event = redact_value(read_event(row.kind, row.body, row.vector), redact)
                clean = LogRow(
                    row.sequence, row.id, row.moment, redact(row.who), redact(row.why), row.kind,
                    event_body(event), row.vector,
                )  # fmt: skip
                before = log.add_row(clean, before, event)
    except ValueError as fault:
        raise MemoryFault(f"an event of the export is not sound: {fault}; nothing was imported") from fault
    finally:
        log.close()


def _to_parquet(log: BankLog, head: ExportHead) -> bytes:
    import polars as pl

    rows = [row.model_dump() for row in export_rows(log, head)]
    schema = {
        "sequence": pl.Int64, "id": pl.String, "moment": pl.Float64, "who": pl.String, "why": pl.String,
        "kind": pl.String, "body": pl.String, "vector": pl.String, "digest": pl.String,
    }  # fmt: skip
    buffer = BytesIO()
    frame = pl.DataFrame(rows, schema=schema)
    frame.write_parquet(buffer, metadata={HEAD: json.dumps(head.model_dump())})
    return buffer.getvalue()


def _ending(path: Path) -> str:
    if path.suffix not in ENDINGS:
        raise MemoryFault(f"a file that ends in {' or '.join(ENDINGS)} is needed; got {path.name[:60]!r}")
    return path.suffix


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise MemoryFault(f"{path} cannot be used: {fault.strerror or fault}") from fault
