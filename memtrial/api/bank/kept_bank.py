"""A bank in a folder: opened with the redactor of the product, listed, audited, rolled back, carried.

with open_bank(Path("bank"), new=True) as log:
    log.append([ItemAdded(item)], Cause("me", "written by hand"))
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.confidence.bank_meters import MeterReading
from memtrial.memory.bank.confidence.logged_meters import read_meters
from memtrial.memory.bank.confidence.verdict_audit import VerdictAudit, audit_verdicts
from memtrial.memory.bank.confidence.weekly_metrics import WeekMetrics, measure_weeks
from memtrial.memory.bank.events.audit_trail import AuditLine, audit_bank
from memtrial.memory.bank.events.bank_events import Cause
from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.events.item_queries import every_item, get_item
from memtrial.memory.bank.events.project_scope import cascade
from memtrial.memory.bank.exports.bank_files import export_log, import_log, read_export
from memtrial.memory.bank.exports.log_lines import ExportHead
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.stored_item import MemoryFault
from memtrial.private_file import make_private

SOMEBODY = "the command line"
"""Who made a change, where nobody is named."""


@contextmanager
def open_bank(folder: Path, new: bool = False) -> Iterator[BankLog]:
    """The bank of a folder, closed afterwards; made where there is none and `new` says so.

    Raises:
        MemoryFault: there is none, or it cannot be used.
    """
    path = folder / FILE
    if new:
        make_folder(folder)
    elif not path.exists():
        raise MemoryFault(f"a folder with a bank is needed; there is no {path}: import one, or name another")
    elif not path.stat().st_size:  # SQLite would take it for a new one
        raise MemoryFault(
            f"a folder with a bank is needed; {path} is empty: take it from an export or a copy"
        )
    log = BankLog(path, redact)
    try:
        yield log
    finally:
        log.close()


def list_folder(folder: Path, project: str | None = None) -> tuple[BankItem, ...]:
    """All items of a bank, or those that a project sees, whatever their standing."""
    with open_bank(folder) as log:
        items = every_item(log)
    if project is None:
        return items
    seen = cascade(project)
    return tuple(item for item in items if item.origin.project in seen)


def audit_folder(folder: Path, item_id: str | None = None) -> tuple[AuditLine, ...]:
    """Every change of a bank, or of one item; MemoryFault where there is no such item, or the log was
    changed."""
    with open_bank(folder) as log:
        if item_id is not None:
            get_item(log, item_id)
        return tuple(audit_bank(log, item_id))


def audit_judge(folder: Path) -> VerdictAudit:
    """How the verdicts of a bank's judge compare with the world's own word, where both are known."""
    with open_bank(folder) as log:
        return audit_verdicts(log)


def read_folder_meters(folder: Path, project: str = "") -> tuple[MeterReading, ...]:
    """The criteria of seeds/001 for a project, by what its bank holds today; all but SC-004, which compares
    two arms."""
    cascade(project)
    with open_bank(folder) as log:
        return read_meters(log, project, log.clock())


def measure_folder_weeks(folder: Path, project: str | None = None) -> tuple[WeekMetrics, ...]:
    """Document 003's metrics of a bank by week: of all projects, or of one alone."""
    if project is not None:
        cascade(project)
    with open_bank(folder) as log:
        return measure_weeks(log, None if project is None else (project,))


def roll_back_item(folder: Path, given: str, who: str = "", why: str = "") -> BankItem:
    """Bring back a version of an item.

    Args:
        given: `ID@VERSION`, as `rm_01J…@1`.

    Raises:
        MemoryFault: there is no such item or version; nothing is changed.
    """
    item_id, mark, version = given.rpartition("@")
    if not (mark and item_id and version.isascii() and version.isdigit() and len(version) < 10):
        raise MemoryFault(f"an item and its version are needed, as rm_01J…@1; got {given[:80]!r}")
    with open_bank(folder) as log:
        return log.rollback(item_id, int(version), Cause(who or SOMEBODY, why))


def export_folder(folder: Path, path: Path) -> ExportHead:
    """Write a bank into a new file that ends in .jsonl or .parquet; MemoryFault where one is there."""
    if path.exists() or path.is_symlink():
        raise MemoryFault(f"an export makes a new file; {path} is there already: name another")
    with open_bank(folder) as log:
        return export_log(log, path)


def import_folder(folder: Path, path: Path) -> ExportHead:
    """Make the bank of a folder from an export; MemoryFault where it has one already."""
    copy = read_export(path)
    make_folder(folder)
    return import_log(copy, folder / FILE, redact)


def make_folder(folder: Path) -> Path:
    """The folder, made where there is none; MemoryFault where it cannot be."""
    try:
        make_private(folder)
    except OSError as fault:
        raise MemoryFault(f"{folder} cannot be made: {fault.strerror}") from fault
    return folder
