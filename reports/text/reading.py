"""A reading: a verdict in plain English, and the phrases that all readings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loadbearing.analysis.reasons import Caveat
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import PLACEBO
from loadbearing.reports.base.numbers import interval
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.verdict_entry import printed

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
        leaves: what it does not say, phrase by phrase.
    """

    subject: tuple[str, ...]
    headline: str
    says: str
    rests_on: str
    leaves: tuple[str, ...]

    @property
    def leaves_open(self) -> str:
        """What it does not say, as a sentence; empty where there is nothing."""
        return f"{capital('; '.join(self.leaves))}." if self.leaves else ""


@dataclass(frozen=True, slots=True)
class Group:
    """Arms of which the same is said.

    Args:
        leaves: what is said of none of them.
    """

    arms: tuple[str, ...]
    headline: str
    leaves: tuple[str, ...]


def grouped(readings: Sequence[Reading]) -> tuple[Group, ...]:
    """The readings of one backbone, arms with the same headline together."""
    groups: dict[str, list[Reading]] = {}
    for one in readings:
        groups.setdefault(one.headline, []).append(one)
    return tuple(
        Group(
            tuple(one.subject[-1] for one in some),
            headline[:1].lower() + headline[1:],
            tuple(phrase for phrase in some[0].leaves if all(phrase in one.leaves for one in some)),
        )
        for headline, some in groups.items()
    )


def evidence(name: str, word: str, row: Estimate | None) -> str:
    """One estimate in a line: its name, its word and its interval, and whether that and p disagree."""
    if row is None:
        return f"{name} {printed(word)}"
    apart = f" ({Caveat.DISAGREE.sentence})" if Caveat.DISAGREE in row.caveats else ""
    return f"{name} {printed(word)}, {interval(row)}{apart}"


def sample(found: Sequence[Estimate | None]) -> str:
    """How many tasks, and clusters where tasks share one, stand behind some estimates."""
    rows = [row for row in found if row is not None]
    tasks = sorted({row.n_tasks for row in rows})
    units = sorted({row.n_clusters for row in rows})
    if not tasks:
        return ""
    counted = _span(tasks, "task")
    return counted if units == tasks else f"{counted} in {_span(units, 'cluster')}"


def _span(counts: Sequence[int], noun: str) -> str:
    last = how_many(counts[-1], noun)
    return last if len(counts) == 1 else f"{counts[0]:,} to {last}"


def sizes(results: Results) -> str:
    """The size of the design: `120 tasks × 3 repeats`."""
    counts = ((results.tasks, "task"), (results.repeats, "repeat"))
    return " × ".join(how_many(n, noun) for n, noun in counts if n)


def effect_of(results: Results, condition: str) -> str:
    """What a condition does to a memory, as the plan states it; empty where it does not.

    Under `removal` the drop is the utility less that of a mere block.
    """
    return results.effects.get(condition, "")


def condition_name(condition: str) -> str:
    """A condition as tables show it: the placebo is marked."""
    return f"{condition} (placebo)" if condition == PLACEBO else condition


def margin_text(results: Results) -> str:
    """The equivalence margin."""
    return f"{results.margin:.2f}"


def listed(names: Sequence[str]) -> str:
    """Names with commas and an `and`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def capital(text: str) -> str:
    """The same text with its first letter in upper case, the rest left as it is."""
    return text[:1].upper() + text[1:]
