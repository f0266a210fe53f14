"""Estimands beyond utility, drop and contrast: what a report calls them."""

from typing import NamedTuple

from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.base.lookup import of_estimand, subject
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import numbers_of
from loadbearing.reports.text.verdict_glossary import printed


class Kind(NamedTuple):
    """One estimand: its title in the report, and its names in a line of text, plain and under damage."""

    estimand: str
    title: str
    names: tuple[str, str] | None = None
    """None where it has no line."""


OPEN = "inconclusive"
_DOSE = "dose, for one true item more,"
KINDS = (
    Kind("retention", "Retention: how much of the utility the content carries"),
    Kind("content", "Content effect: the drop less what the damage's oddity costs", ("content effect",) * 2),
    Kind("beyond placebo", "Beyond the placebo: the drop less the drop of a rewording"),
    Kind(
        "instructed",
        "Instructed: the same items, and the plain instruction to follow them",
        ("utility when instructed", "drop when instructed"),
    ),
    Kind("follow", "Follow: does the agent do as told?", ("follow", "follow")),
    Kind("factorial", "Factors: what each factor of the arms does", ("factorial", "factorial")),
    Kind("dose", "Dose: the score for each true item among distractors", (_DOSE, _DOSE)),
)


def secondary_lines(results: Results) -> tuple[str, ...]:
    """A line each for reports that hold no figures: the hypotheses over all backbones, then the kinds here.

    Retention, the drops beyond the placebo's and what is inconclusive are left to the tables.
    """
    primary = {entry.condition for entry in results.hypotheses}
    found = [
        _line(row, ("contrast", "contrast of drops"))
        for row in of_estimand(results, "contrast")
        if row.backbone == ALL and row.condition in primary
    ]
    rows = [
        (row, kind.names)
        for kind in KINDS
        if kind.names
        for row in of_estimand(results, kind.estimand)
        if row.backbone != ALL  # the hypotheses above stand for the mean
    ]
    found += [_line(row, names) for row, names in rows if row.verdict != OPEN]
    if left := sum(row.verdict == OPEN for row, _ in rows):
        found.append(f"Inconclusive, in the tables: {how_many(left, 'estimate')}.")
    return tuple(found)


def _line(row: Estimate, names: tuple[str, str]) -> str:
    backbone = "all backbones" if row.backbone == ALL else row.backbone
    plain = row.estimand in ("follow", "dose") or row.condition in ("intact", "without")
    what = names[0] if plain else f"{names[1]} under {row.condition}"
    return f"{backbone}, {subject(row)}: {what} {numbers_of(row)} {printed(row.verdict)}."
