"""Counts with their nouns, and lists of names."""

from collections.abc import Sequence


def how_many(n: int, noun: str) -> str:
    """A count with its noun: `1 task`, `1,204 tasks`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def list_names(names: Sequence[str], most: int = 8) -> str:
    """Names in quotes, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
