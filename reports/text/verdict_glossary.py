"""The words of a report: verdicts with symbol and fine print, and what they are given to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from loadbearing.reports.text.secondary_kinds import WORDS
from loadbearing.reports.text.verdict_entry import VerdictWord, absence, effect, harm

ALL: tuple[VerdictWord, ...] = (
    effect(
        "load-bearing",
        "drops and contrasts",
        "The score falls when this text is damaged (a contrast: it falls further for the treatment than for "
        "the control). The adjusted p-value is at or below alpha.",
        "That the advice is right, that the memory helps on net, or that the oddity of damaged text plays "
        "no part.",
    ),
    absence(
        "inert",
        "drops and contrasts",
        "An equivalence test puts the effect inside the margin, in an arm whose memory helps, so that there "
        "was something to lose, and effects that cancel between tasks are not above chance (a contrast: the "
        "two drops differ by less than the margin).",
        "That the effect is zero, or that the text goes unread.",
    ),
    harm(
        "reversed",
        "drops and contrasts",
        "The score rises when this text is damaged (a contrast: the treatment loses less than the control).",
        "What in the text does the harm.",
    ),
    VerdictWord(
        "inconclusive",
        "○",
        "o",
        False,
        "open",
        "all estimands",
        "The data show neither an effect nor its absence.",
        "Anything about the effect. It is no sign of there being none; more tasks may settle it.",
    ),
    VerdictWord(
        "untestable",
        "◇",
        "D",
        False,
        "open",
        "all estimands",
        "Nothing could have been shown here: no room to fall, no room to differ, a memory that adds less "
        "than the margin and so has little to lose, or memory text that did not reach the prompt. The "
        "reason stands beside it.",
        "Whether the content is read.",
    ),
    VerdictWord(
        "insensitive",
        "☆",
        "*",
        False,
        "open",
        "drops and contrasts",
        "The effect lies inside the margin, but for no backbone is the positive control load-bearing: this "
        "run could not have told inert memory from memory that never took effect.",
        "Anything about the memory.",
    ),
    VerdictWord(
        "helps",
        "+",
        "P",
        True,
        "effect",
        "utilities",
        "The score is higher with this memory than without any.",
        "That the content does it: a block of any text may help as much.",
    ),
    VerdictWord(
        "none",
        "●",
        "o",
        True,
        "absence",
        "utilities",
        "An equivalence test puts the effect of this memory inside the margin.",
        "That it does nothing: gains and losses may cancel between tasks.",
    ),
    VerdictWord(
        "harms",
        "×",
        "X",
        True,
        "harm",
        "utilities",
        "The score is lower with this memory than without any.",
        "Whether its content or its mere presence does the harm.",
    ),
    *WORDS,
)

_BY_WORD: Mapping[str, VerdictWord] = MappingProxyType({entry.word: entry for entry in ALL})


def verdict_word(word: str) -> VerdictWord:
    """The entry of a word; a word of a later version is shown as an open question."""
    unknown = VerdictWord(word, "?", "o", False, "open", "", "A word this report does not know.", "")
    return _BY_WORD.get(word, unknown)


TERMS: tuple[tuple[str, str], ...] = (
    ("arm", "One way to make a memory and to show it to the agent; `none` is the agent without."),
    ("condition", "What was done to the memory text before the agent saw it; `intact`: nothing."),
    ("utility", "Score with this memory less score without, on the same tasks."),
    ("drop", "Score with the intact text less score with the damaged text."),
    ("contrast", "Drop of one arm less drop of another, under the same damage: what a hypothesis is about."),
    ("margin", "Points of score; an effect that is shown to be smaller counts as none."),
    ("p adjusted", "The p-value that decides: of all tests of its family together (step-down max-T)."),
    ("family", "Tests that share one alpha."),
    ("cluster", "Tasks that share a record or a place are correlated; a cluster of them counts as one unit."),
    ("placebo", "A rewording that keeps the meaning: what it costs is the wording's."),
    (
        "positive control",
        "An arm whose text is known to hold the answer; if it is inert, nothing could show.",
    ),
    ("confirmatory", "The plan was locked before the first trial and stands; all else is exploratory."),
)
"""What verdicts are given to, and what they rest on."""


def glossary_page() -> str:
    """The glossary as Markdown, as the README's tail holds it."""
    verdicts = (f"| {entry.symbol} {entry.printed} | {entry.about} | {entry.means} |" for entry in ALL)
    terms = (f"| {word} | {means} |" for word, means in TERMS)
    lines = [
        "| verdict | of | means |",
        "| --- | --- | --- |",
        *verdicts,
        "",
        "| word | means |",
        "| --- | --- |",
        *terms,
    ]
    return "\n".join(lines) + "\n"
