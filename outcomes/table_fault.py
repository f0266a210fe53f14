"""What is wrong with a table of outcomes."""

from __future__ import annotations


class TableFault(ValueError):
    """A table or an option that cannot be read as outcomes: one clear line, exit code 2, nothing written."""
