"""A ledger that is written beside its place until it is whole."""

from pathlib import Path

from memtrial.ledger.sqlite.audit_note import name_note
from memtrial.private_file import DRAFT, database_files


def draft_of(path: Path) -> Path:
    """Where a ledger is written that is not whole yet."""
    return path.with_name(f"{DRAFT}{path.name}")


def remove_draft(draft: Path) -> None:
    """What a copy left, also one that was cut off; the name is ours alone."""
    for file in (*database_files(draft), name_note(draft)):
        file.unlink(missing_ok=True)
