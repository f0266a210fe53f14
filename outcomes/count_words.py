"""Counts with their nouns."""

from __future__ import annotations


def how_many(n: int, noun: str) -> str:
    """A count with its noun: `1 task`, `1,204 tasks`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
