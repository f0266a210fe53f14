"""A reading: a verdict in plain English, and the phrases that all readings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loadbearing.analysis.reasons import Caveat
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import PLACEBO
from loadbearing.reports.base.lookup import Results, Row
from loadbearing.reports.base.numbers import interval, is_known

SIMULATED = (
    "Simulated participants: this run calibrates the instrument; it is no evidence about any language model."
)
"""The label that every report of a simulated run carries in its title."""


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
    """One estimate in a line: its name, its word and its interval, and whether that and p disagree."""
    disagree = Caveat.DISAGREE in (row.get("caveats") or ())
    apart = f" ({Caveat.DISAGREE.sentence})" if disagree else ""
    return f"{name} {word}, {interval(row)}{apart}" if row else f"{name} {word}"


def sample(rows: Sequence[Row]) -> str:
    """How many tasks, and clusters where tasks share one, stand behind some estimates."""
    tasks = sorted({row["n_tasks"] for row in rows if is_known(row.get("n_tasks"))})
    units = sorted({row["n_clusters"] for row in rows if is_known(row.get("n_clusters"))})
    if not tasks:
        return ""
    counted = _span(tasks, "task")
    return counted if not units or units == tasks else f"{counted} in {_span(units, 'cluster')}"


def _span(counts: Sequence[int], noun: str) -> str:
    last = how_many(counts[-1], noun)
    return last if len(counts) == 1 else f"{counts[0]:,} to {last}"


def sizes(results: Results) -> str:
    """The size of the design: `120 tasks × 3 repeats`."""
    counts = ((results.get(noun + "s"), noun) for noun in ("task", "repeat"))
    return " × ".join(how_many(n, noun) for n, noun in counts if n)


def effect_of(results: Results, condition: str) -> str:
    """What a condition does to a memory, as the plan states it; empty where it does not.

    Under `removal` the drop is the utility less that of a mere block.
    """
    return str((results.get("effects") or {}).get(condition, ""))


def condition_name(condition: str) -> str:
    """A condition as tables show it: the placebo is marked."""
    return f"{condition} (placebo)" if condition == PLACEBO else condition


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
