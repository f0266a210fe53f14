"""What a report calls things, and which of its parts it has: a run's, or a table's of somebody else."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.reports.model.results import Results
from loadbearing.reports.text.comparison_readings import reference_of
from loadbearing.reports.text.reading import condition_name


@dataclass(frozen=True, slots=True)
class Phrases:
    """The wording that depends on what was compared.

    Args:
        comparison: arms were compared with a reference, and nothing is said of memory or damage.
        utility: heading of the column of differences from the agent without.
    """

    comparison: bool
    kicker: str
    asked: str
    matrix: str
    utility: str
    utilities: str
    several: str
    by_arm: str
    glossary: str


_OF_MEMORY = Phrases(
    comparison=False,
    kicker="loadbearing: does condensed memory carry weight?",
    asked="Does the score of the first arm fall further than that of the second when its text is damaged?",
    matrix="Utility: score with this memory less score without. The other columns: drop of the score when "
    "the text is damaged in this way. Under each word its estimate, in points of score.",
    utility="utility",
    utilities="Utilities: what the memory adds",
    several="Utilities",
    by_arm="Utilities by backbone and arm",
    glossary="A verdict is chosen by fixed rules. It speaks of these tasks and others like them, of these "
    "frozen banks, and of these backbones. Not significant is never read as no difference: for that, an "
    "equivalence test has to succeed.",
)


def phrases_of(results: Results) -> Phrases:
    """The wording of these results."""
    reference = reference_of(results)
    if not reference:
        return _OF_MEMORY
    return Phrases(
        comparison=True,
        kicker="loadbearing: a paired analysis of outcomes",
        asked="",
        matrix=f"One row for each arm: its mean score less that of {reference}, over the tasks that both "
        "have. Under the word its estimate, in points of score.",
        utility=f"against {reference}",
        utilities=f"Differences from {reference}",
        several=f"Differences from {reference}",
        by_arm=f"Score of each arm less that of {reference}",
        glossary="A verdict is chosen by fixed rules. It speaks of these tasks and others like them. Not "
        "significant is never read as no difference: for that, an equivalence test has to succeed.",
    )


def column_name(results: Results, column: str) -> str:
    """A column of the verdict matrix as it is shown."""
    return phrases_of(results).utility if column == "utility" else condition_name(column)
