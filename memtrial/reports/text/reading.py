"""A reading: a verdict in plain English, and the phrases that all readings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memtrial.analysis.reasons import Reason
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import PLACEBO
from memtrial.views.lookup import reference_of
from memtrial.views.numbers import ends, interval, is_known

if TYPE_CHECKING:
    from memtrial.analysis.result import Estimate
    from memtrial.views.rows.results import Results

SIMULATED = (
    "Simulated participants: this run calibrates the instrument; it is no evidence about any language model."
)
"""The label that every report of a simulated run carries in its title."""


@dataclass(frozen=True, slots=True)
class VerdictReading:
    """A verdict in plain English, and of a plain comparison the numbers behind it."""

    arm: str
    headline: str
    says: str = ""


def together(readings: Sequence[VerdictReading]) -> dict[str, list[str]]:
    """The readings of one backbone by headline, with the arms that have it."""
    groups: dict[str, list[str]] = {}
    for reading in readings:
        groups.setdefault(reading.headline[:1].lower() + reading.headline[1:], []).append(reading.arm)
    return groups


def numbers_of(row: Estimate | None) -> str:
    """Estimate and interval; of an absence also the interval that its test implies, which shows it."""
    if row is None or row.code is not Reason.WITHIN or not is_known(row.low_equivalence):
        return interval(row)
    return f"{interval(row)}, by the equivalence test {ends(row.low_equivalence, row.high_equivalence)}"


def sample(row: Estimate) -> str:
    """How many tasks, and clusters where tasks share one, stand behind an estimate."""
    tasks = how_many(row.n_tasks, "task")
    return tasks if row.n_clusters == row.n_tasks else f"{tasks} in {how_many(row.n_clusters, 'cluster')}"


def sizes(results: Results) -> str:
    """The size of the design: `120 tasks × 3 repeats`."""
    counts = ((results.tasks, "task"), (results.repeats, "repeat"))
    return " × ".join(how_many(n, noun) for n, noun in counts if n)


def condition_name(condition: str) -> str:
    """A condition as tables show it: the placebo is marked."""
    return f"{condition} (placebo)" if condition == PLACEBO else condition


def margin_text(results: Results) -> str:
    """The equivalence margin."""
    return f"{results.margin:.2f}"


def list_with_and(names: Sequence[str]) -> str:
    """Names with commas and an `and`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def capital(text: str) -> str:
    """The same text with its first letter in upper case, the rest left as it is."""
    return text[:1].upper() + text[1:]


KICKER = "memtrial: a paired analysis of outcomes"
ASKED = "Does the score of the first arm fall further than that of the second when its text is damaged?"
RULES = (
    "A verdict is chosen by fixed rules. It speaks of these tasks and others like them. Not significant is "
    "never read as no difference: for that, an equivalence test has to succeed."
)

INTERVALS = (
    "How an interval is made: Student's t on the units (tasks, or clusters of them), with a standard "
    "error for units that differ in size (CR2) and Satterthwaite's degrees of freedom. The error is the "
    "larger of this one and the one with two made-up tasks added, which differ by plus and minus the size"
    " of a difference. No end lies beyond the possible range. The interval is mostly wider than that of a"
    " paired t-test, because that one is too narrow where few tasks differ: the more so, the fewer the "
    "tasks and the more alike their differences. The p-value takes the error without the made-up tasks, "
    "and the interval leaves 0 out exactly where this p is at or below alpha."
)
"""Of `analysis/inference/interval.py`, for a reader."""


class Phrases(NamedTuple):
    """The wording that depends on what was compared; `by_arm` is empty where the estimand says it."""

    matrix: str
    utility: str
    utilities: str
    by_arm: str


_OF_MEMORY = Phrases(
    "Utility: score with the memory less without. Other columns: what that damage to its text costs. "
    "Beside each word its estimate.",
    "utility",
    "Utilities: what the memory adds",
    "",
)


_ARM_WORDS = {
    "control": "items of the native condenser",
    "artifact": "of the theory condenser",
    "activation": "the same, by Trigger",
    "raw": "the runs themselves",
    "oracle": "the true lesson",
}
"""What the standard arms show, in the fewest words."""


def arms_line(results: Results) -> str:
    """What the standard arms of a run show; empty for a table, whose names are its own."""
    if results.table is not None:
        return ""
    return "; ".join(f"{arm}: {_ARM_WORDS[arm]}" for arm in results.arms if arm in _ARM_WORDS)


def phrases_of(results: Results) -> Phrases:
    """The wording of these results."""
    if not (reference := reference_of(results)):
        return _OF_MEMORY
    return Phrases(
        f"One row for each arm: its mean score less that of {reference}, over the tasks that both "
        "have. Under the word its estimate, in points of score.",
        f"against {reference}",
        f"Differences from {reference}",
        f"Score of each arm less that of {reference}",
    )


def column_name(results: Results, column: str) -> str:
    """A column of the verdict matrix as it is shown."""
    return phrases_of(results).utility if column == "utility" else condition_name(column)
