"""A bank in a folder as the records of ReasoningBank's code, and a bank made of such records or of a file of
ours, as an evolution writes its banks."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from memtrial.api.bank.kept_bank import import_folder, open_bank
from memtrial.faults import SpecFault, refused
from memtrial.memory.bank.events.bank_log import FILE
from memtrial.memory.bank.events.project_scope import cascade
from memtrial.memory.bank.exports.grown_records import take_lines
from memtrial.memory.bank.exports.log_lines import FORMAT
from memtrial.memory.bank.exports.upstream_lines import take_entries, upstream_lines
from memtrial.memory.interchange.bank_file import read_bank_file
from memtrial.memory.interchange.upstream_bank import read_upstream_bank
from memtrial.memory.interchange.upstream_record import BankFormat
from memtrial.memory.stored_item import MemoryFault
from memtrial.private_file import private, write_private

LONGEST_LINE = 64 * 2**20
"""Bytes of a file's first line that are read to tell what it is."""


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
    """Make the bank of a folder from what `export` wrote, from a bank of ReasoningBank's code, or from one in
    a file of ours.

    Args:
        project: whose records are, of a file that does not say so.

    Raises:
        MemoryFault: there is a bank already, or the file is none of these.
    """
    kind = _kind_of(path)
    if kind == "export":
        if project:
            raise MemoryFault("an export says whose its items are; --project is for records that do not")
        head = import_folder(folder, path)
        return TakenIn(f"{head.events} events", head.model_dump())
    cascade(project)
    if (folder / FILE).exists():
        raise MemoryFault(f"a folder without a bank is needed; {folder / FILE} is there: name another")
    with refused(SpecFault):
        lines = read_bank_file(path).lines if kind == "ours" else ()
        entries = read_upstream_bank(path).entries if kind == "upstream" else ()
    with open_bank(folder, new=True) as log:
        taken = take_lines(log, lines, project) if kind == "ours" else take_entries(log, entries, project)
    lost = f", {taken.redacted} with something redacted," if taken.redacted else ""
    return TakenIn(f"{taken.records} records with {taken.items} items{lost}", asdict(taken))


def _kind_of(path: Path) -> Literal["export", "ours", "upstream"]:
    """By the keys of its first line: an export's begins with a head of ours."""
    if path.suffix != ".jsonl":
        return "export"
    try:
        with open(path, "rb", opener=private) as file:
            start = file.readline(LONGEST_LINE)
    except OSError as fault:
        raise MemoryFault(f"{path} cannot be used: {fault.strerror or fault}") from fault
    if not start.startswith(b"{") or FORMAT.encode() in start[:200]:
        return "export"
    try:
        keys = set(json.loads(start))
    except (ValueError, RecursionError):
        return "upstream"
    return "ours" if {"trace_id", "items"} <= keys else "upstream"
