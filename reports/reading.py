"""A reading: a verdict in plain English, and the phrases that all readings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.numerals import interval, is_known, probability
from reports.rows import Results, Row

SIMULATED = (
    "Simulated participants: this run calibrates the instrument; it is no evidence about any language model."
)
"""The label that every report of a simulated run carries in its title."""

CONTENT_REMOVED = ("filler", "empty")
"""Conditions that leave a block without its content: their drop is the utility less that of a mere block."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A verdict in plain English.

    Args:
        subject: what is spoken of, in the order of reading: backbone and arm, or the whole hypothesis.
        headline: a few words.
        says: what has been shown.
        rests_on: the numbers behind it.
        leaves_open: what it does not say.
    """

    subject: tuple[str, ...]
    headline: str
    says: str
    rests_on: str
    leaves_open: str


def evidence(name: str, word: str, row: Row) -> str:
    """One estimate in a line: its word, its interval, its adjusted p-value and what it was computed on."""
    if not row:
        return f"{name}: {word}"
    units, tasks = row.get("n_clusters"), row.get("n_tasks")
    of = f"{tasks} tasks" if units in (None, tasks) else f"{tasks} tasks in {units} clusters"
    return f"{name}: {word}, {interval(row)}, adjusted p {probability(row.get('p_adjusted'))}, {of}"


def margin_text(results: Results) -> str:
    """The equivalence margin, or the words for it where it is not recorded."""
    margin = results.get("margin")
    return f"{margin:.2f}" if is_known(margin) else "the margin"


def listed(names: Sequence[str]) -> str:
    """Names with commas and an `and`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def capital(text: str) -> str:
    """The same text with its first letter in upper case, the rest left as it is."""
    return text[:1].upper() + text[1:]
