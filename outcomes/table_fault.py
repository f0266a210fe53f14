"""What is wrong with a table of outcomes."""

from pathlib import Path


class TableFault(ValueError):
    """A table or an option that cannot be read as outcomes: one clear line, exit code 2, nothing written."""


def unreadable(path: Path, what: str) -> TableFault:
    """The fault of a file: what is needed, and what this one is."""
    return TableFault(f"a CSV, Parquet (.parquet) or JSON lines (.jsonl) file is needed; {path} {what}")
