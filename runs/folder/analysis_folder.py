"""The folder of an analysis: three files of its own, and nothing else in it is ever touched."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from loadbearing.ledger.private_file import ForeignFault, make_private, read_private, refuse_foreign
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import write_whole

FILES = ("results.json", "report.html", "report.md")


def refuse_folder(folder: Path, table: Path) -> None:
    """A folder is written only where it is new, empty, or holds an earlier analysis; else SpecFault."""
    if folder.is_symlink() and not folder.exists():
        raise SpecFault(f"--out needs a folder; {folder} is a dangling link")
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise SpecFault(f"--out needs a folder; {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise SpecFault(f"--out needs a folder that can be written; {there} cannot be written")
    if there != folder:
        return
    if any(folder.iterdir()) and not _holds_analysis(folder):
        raise SpecFault(
            f"{folder} holds something other than an analysis and stays as it is; name another one with --out"
        )
    for path in (folder / name for name in FILES):
        try:
            refuse_foreign(path)
        except ForeignFault as fault:
            raise SpecFault(f"a report is to be written there; {fault}") from fault
        if path.exists() and table.exists() and path.samefile(table):
            raise SpecFault(f"--out would write over what is read: {path} is the table itself; name another")


def write_analysis(folder: Path, texts: Sequence[str]) -> None:
    """Write `texts`, one of each of `FILES`, each in full or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        make_private(folder)
    for name, text in zip(FILES, texts, strict=True):
        write_whole(folder / name, text)


def _holds_analysis(folder: Path) -> bool:
    try:
        held = json.loads(read_private(folder / "results.json"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(held, dict) and "table" in held
