"""A bank in a folder as the records of ReasoningBank's code, and a bank made of such records."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from memtrial.api.bank.kept_bank import import_folder, open_bank
from memtrial.faults import SpecFault, refused
from memtrial.memory.bank.events.bank_log import FILE
from memtrial.memory.bank.events.project_scope import cascade
from memtrial.memory.bank.exports.log_lines import FORMAT
from memtrial.memory.bank.exports.upstream_lines import take_entries, upstream_lines
from memtrial.memory.interchange.upstream_bank import read_upstream_bank
from memtrial.memory.interchange.upstream_record import BankFormat
from memtrial.memory.stored_item import MemoryFault
from memtrial.private_file import private, write_private


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of an import, in words and for programs."""

    words: str
    body: Mapping[str, object]


def export_records(folder: Path, path: Path, form: BankFormat) -> int:
    """Write a bank as upstream's lines into a new file; how many. MemoryFault where a file is there."""
    if path.suffix != ".jsonl":
        raise MemoryFault(f"a file that ends in .jsonl is needed; got {path.name[:60]!r}")
    if path.exists() or path.is_symlink():
        raise MemoryFault(f"an export makes a new file; {path} is there already: name another")
    with open_bank(folder) as log:
        lines = list(upstream_lines(log, form))
    try:
        write_private(path, "".join(lines))
    except OSError as fault:
        raise MemoryFault(f"{path} cannot be used: {fault.strerror or fault}") from fault
    return len(lines)


def import_any(folder: Path, path: Path, project: str = "") -> TakenIn:
    """Make the bank of a folder from what `export` wrote, or from a bank of ReasoningBank's code.

    Args:
        project: whose records of the latter are.

    Raises:
        MemoryFault: there is a bank already, or the file is neither.
    """
    if not _is_upstream(path):
        if project:
            raise MemoryFault("an export says whose its items are; --project is for ReasoningBank's records")
        head = import_folder(folder, path)
        return TakenIn(f"{head.events} events", head.model_dump())
    cascade(project)
    if (folder / FILE).exists():
        raise MemoryFault(f"a folder without a bank is needed; {folder / FILE} is there: name another")
    with refused(SpecFault):
        entries = read_upstream_bank(path).entries
    with open_bank(folder, new=True) as log:
        taken = take_entries(log, entries, project)
    lost = f", {taken.redacted} with something redacted," if taken.redacted else ""
    return TakenIn(f"{taken.records} records with {taken.items} items{lost}", asdict(taken))


def _is_upstream(path: Path) -> bool:
    """A file of lines whose first is an object that is no head of an export."""
    if path.suffix != ".jsonl":
        return False
    try:
        with open(path, "rb", opener=private) as file:
            start = file.read(200)
    except OSError as fault:
        raise MemoryFault(f"{path} cannot be used: {fault.strerror or fault}") from fault
    return start.startswith(b"{") and FORMAT.encode() not in start
