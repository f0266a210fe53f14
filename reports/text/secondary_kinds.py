"""Estimands beyond utility, drop and contrast: what a report calls and says of each, and its words."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.base.lookup import of_estimand, subject
from loadbearing.reports.base.numbers import interval
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.verdict_entry import VerdictWord, absence, effect, harm, printed


@dataclass(frozen=True, slots=True)
class Kind:
    """One estimand.

    Args:
        estimand: its word in `estimates`.
        title: of its part of the report.
        says: what a reader has to know of it.
        words: its verdicts, beside those that every estimand has.
        names: in a line of text, as it stands and under damage; empty where it has no line.
        short: its figure is short enough to stand open.
    """

    estimand: str
    title: str
    says: str
    words: tuple[VerdictWord, ...] = ()
    names: tuple[str, str] | None = None
    short: bool = True


_TAKES_MORE = "The damage takes more than the named share of what the memory adds."
_ONE_LEVEL = "What it does at one level of another factor: see the interaction."
_BETTER = "Which arm serves the agent better."

KINDS: tuple[Kind, ...] = (
    Kind(
        "retention",
        "Retention: how much of the utility the content carries",
        "The drop less a share of the utility. Above zero at 50 %: the content carries. Below zero at 25 %: "
        "a placebo, the block helps and its content does not. Read only where the memory helps.",
        (
            effect("carries", "retention", _TAKES_MORE, "That the content carries all of it."),
            absence(
                "placebo",
                "retention",
                "The memory helps, and the damage takes less than the named share of what it adds: the block "
                "helps, its content does not.",
                "Which property of the block does the helping.",
            ),
            effect("above", "retention", _TAKES_MORE, "That the content carries most of it."),
            VerdictWord(
                "below",
                "▼",
                "v",
                True,
                "absence",
                "retention",
                "The damage takes less than the named share of what the memory adds.",
                "That the content carries nothing.",
            ),
        ),
        short=False,
    ),
    Kind(
        "content",
        "Content effect: the drop less what the damage's oddity costs",
        "The same damage was done to an irrelevant slot, where no content is at stake; that is taken off.",
        names=("content effect", "content effect"),
    ),
    Kind(
        "beyond placebo",
        "Beyond the placebo: the drop less the drop of a rewording",
        "The placebo keeps the meaning and changes the words. A drop no larger than its own is the words'.",
    ),
    Kind(
        "instructed",
        "Instructed: the same items, and the plain instruction to follow them",
        "Inert here as well: nothing usable in the items. Load-bearing here and inert without the "
        "instruction: usable, and not activated.",
        names=("utility when instructed", "drop when instructed"),
    ),
    Kind(
        "follow",
        "Follow: does the agent do as told?",
        "At the first state where the item applies: the share that does the advised action when it is "
        "advised, less the share that does it when another action is advised in its place.",
        (
            effect(
                "follows",
                "follow",
                "At the first state where the item applies, the advised action is done more often when it is "
                "advised than when another one is.",
                "That the advice helps.",
            ),
            absence(
                "ignores",
                "follow",
                "An equivalence test puts the effect of the advice on what is done there inside the margin.",
                "That the text goes unread.",
            ),
            harm(
                "defies",
                "follow",
                "The advised action is done less often when it is advised than when another one is.",
                "Why.",
            ),
            effect(
                "more",
                "follow, of two arms",
                "The treatment's items are followed more than the control's.",
                _BETTER,
            ),
            absence(
                "alike",
                "follow, of two arms",
                "An equivalence test puts the difference in following inside the margin.",
                "That either is followed.",
            ),
            harm(
                "less",
                "follow, of two arms",
                "The treatment's items are followed less than the control's.",
                _BETTER,
            ),
        ),
        names=("follow", "follow"),
    ),
    Kind(
        "factorial",
        "Factors: what each factor of the arms does",
        "Effects over the full crossing of the arms' factors, on the intact score and on the drop.",
        (
            effect(
                "raises",
                "factors",
                "The factor raises the intact score, or the drop, averaged over the other factors.",
                _ONE_LEVEL,
            ),
            harm(
                "lowers",
                "factors",
                "The factor lowers the intact score, or the drop, averaged over the other factors.",
                _ONE_LEVEL,
            ),
        ),
        names=("factorial", "factorial"),
    ),
    Kind(
        "dose",
        "Dose: the score for each true item among distractors",
        "The slope over a ladder of slots that hold none to three true items, at equal length.",
        (
            effect(
                "rises",
                "dose",
                "The score rises with each true item among distractors: lesson-sized effects show in this "
                "run.",
                "That the items of a condenser are such lessons.",
            ),
            absence(
                "flat",
                "dose",
                "An equivalence test puts the effect of one true item more inside the margin.",
                "That memory cannot reach this model: several items together may.",
            ),
            harm("falls", "dose", "The score falls with each true item among distractors.", "Why."),
        ),
        names=("dose, for one true item more,", "dose, for one true item more,"),
    ),
)

WORDS: tuple[VerdictWord, ...] = tuple(word for kind in KINDS for word in kind.words)


def secondary_lines(results: Results) -> tuple[str, ...]:
    """A line each for reports that hold no figures: the hypotheses over all backbones, then the kinds here.

    Retention and the drops beyond the placebo's are left to the long report.
    """
    primary = {entry.condition for entry in results.hypotheses}
    found = [
        _line(row, ("contrast", "contrast of drops"))
        for row in of_estimand(results, "contrast")
        if row.backbone == ALL and row.condition in primary
    ]
    for kind in KINDS:
        if kind.names:
            found += [_line(row, kind.names) for row in of_estimand(results, kind.estimand)]
    return tuple(found)


def _line(row: Estimate, names: tuple[str, str]) -> str:
    backbone = "all backbones" if row.backbone == ALL else row.backbone
    plain = row.estimand in ("follow", "dose") or row.condition in ("intact", "without")
    what = names[0] if plain else f"{names[1]} under {row.condition}"
    return f"{backbone}, {subject(row)}: {what} {interval(row)} {printed(row.verdict)}."
