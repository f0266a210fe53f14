"""The verdict words of a report, each with its symbol, tone and explanation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from loadbearing.reports.base.lookup import reference_of
from loadbearing.reports.model.results import Results

Tone = Literal["effect", "absence", "harm", "open"]

TONES: Mapping[Tone, str] = MappingProxyType(
    {"effect": "#0b5fa5", "absence": "#8a5200", "harm": "#a3195b", "open": "#5b6470"}
)
"""Colours with a contrast of at least 4.5 : 1 on white; shape and word say the same without colour."""


@dataclass(frozen=True, slots=True)
class VerdictWord:
    """One verdict word: how it is shown and what it means.

    Args:
        symbol, marker: a shape that is clear without colour; matplotlib's name for that shape.
        tone: key of its colour; shapes of tone `open` are hollow.
        about: the estimands that can carry the word.
        means, silent: what has been shown, and what has not.
    """

    word: str
    symbol: str
    marker: str
    tone: Tone
    about: str
    means: str
    silent: str

    @property
    def printed(self) -> str:
        """The word as reports print it."""
        return printed(self.word)


def printed(word: str) -> str:
    """A word as it is printed; `results.json` keeps the short one."""
    return "no effect" if word == "none" else word


# fmt: off
ALL: tuple[VerdictWord, ...] = (
    # word, symbol, marker, tone, given to; what it means, what it does not say
    VerdictWord("load-bearing", "▲", "^", "effect", "drops and contrasts",
      "The score falls when this text is damaged (a contrast: it falls further for the treatment than for "
      "the control), and further than the oddity of the damage explains. The adjusted p-value is at or below "
      "alpha.",
      "That the advice is right, or that the memory helps on net."),
    VerdictWord("inert", "■", "s", "absence", "drops and contrasts",
      "An equivalence test, adjusted for its family, puts the effect inside the margin, in an arm whose "
      "memory helps (so there was something to lose), and effects that cancel between tasks are not above "
      "chance (a contrast: the two drops differ by less than the margin).",
      "That the effect is zero, or that the text is not read."),
    VerdictWord("reversed", "▼", "v", "harm", "drops and contrasts",
      "The score rises when this text is damaged (a contrast: the treatment loses less than the control).",
      "What in the text does the harm."),
    VerdictWord("inconclusive", "○", "o", "open", "all estimands",
      "The data show neither an effect nor its absence.",
      "Anything about the effect. It is not evidence of no effect; more tasks may settle it."),
    VerdictWord("untestable", "◇", "D", "open", "all estimands",
      "No effect could have been seen here: no room to fall, no room to differ, a memory that adds less than "
      "the margin and so has little to lose, or memory text that did not reach the prompt. The reason is "
      "given beside it.",
      "Whether the content is read."),
    VerdictWord("insensitive", "☆", "*", "open", "drops and contrasts",
      "The effect lies inside the margin, but for no backbone is the positive control load-bearing, "
      "followed, or shown to be ignored: this run could not have distinguished inert memory "
      "from memory that never took effect.",
      "Anything about the memory."),
    VerdictWord("helps", "+", "P", "effect", "utilities",
      "The score is higher with this memory than without any.",
      "That the content does it: a block of any text may help as much."),
    VerdictWord("none", "●", "o", "absence", "utilities",
      "An equivalence test, adjusted for its family, puts the effect of this memory inside the margin.",
      "That it does nothing: gains and losses may cancel between tasks."),
    VerdictWord("harms", "×", "X", "harm", "utilities",
      "The score is lower with this memory than without any.",
      "Whether its content or its mere presence does the harm."),
    VerdictWord("carries", "▲", "^", "effect", "retention",
      "The damage takes more than the named share of what the memory adds.",
      "That the content carries all of it."),
    VerdictWord("placebo", "■", "s", "absence", "retention",
      "The memory helps, and the damage takes less than the named share of what it adds: the block helps, "
      "its content does not.",
      "Which property of the block does the helping."),
    VerdictWord("above", "▲", "^", "effect", "retention",
      "The damage takes more than the named share of what the memory adds.",
      "That the content carries most of it."),
    VerdictWord("below", "▼", "v", "absence", "retention",
      "The damage takes less than the named share of what the memory adds.",
      "That the content carries nothing."),
    VerdictWord("follows", "▲", "^", "effect", "follow",
      "At the first state where the item applies, the advised action is done more often when it is advised "
      "than when another one is.",
      "That the advice helps."),
    VerdictWord("ignores", "■", "s", "absence", "follow",
      "An equivalence test, adjusted for its family, puts the effect of the advice on what is done there "
      "inside the margin.",
      "That the text is not read."),
    VerdictWord("defies", "▼", "v", "harm", "follow",
      "The advised action is done less often when it is advised than when another one is.",
      "Why."),
    VerdictWord("more", "▲", "^", "effect", "follow, of two arms",
      "The treatment's items are followed more often than the control's.",
      "Which arm serves the agent better."),
    VerdictWord("alike", "■", "s", "absence", "follow, of two arms",
      "An equivalence test, adjusted for its family, puts the difference in following inside the margin.",
      "That either is followed."),
    VerdictWord("less", "▼", "v", "harm", "follow, of two arms",
      "The treatment's items are followed less often than the control's.",
      "Which arm serves the agent better."),
    VerdictWord("raises", "▲", "^", "effect", "factors",
      "The factor raises the intact score, or the drop, averaged over the other factors.",
      "What it does at one level of another factor: see the interaction."),
    VerdictWord("lowers", "▼", "v", "harm", "factors",
      "The factor lowers the intact score, or the drop, averaged over the other factors.",
      "What it does at one level of another factor: see the interaction."),
    VerdictWord("rises", "▲", "^", "effect", "dose",
      "The score rises with each true item among distractors: this run can show effects of one lesson.",
      "That the items of a condenser are such lessons."),
    VerdictWord("flat", "■", "s", "absence", "dose",
      "An equivalence test, adjusted for its family, puts the effect of one more true item inside the "
      "margin.",
      "That memory cannot reach this model: several items together may."),
    VerdictWord("falls", "▼", "v", "harm", "dose",
      "The score falls with each true item among distractors.",
      "Why."),
)

_COMPARED = {
    "helps": (
        "The score is higher with this arm than with the reference, on the same tasks. The adjusted p-value "
        "is at or below alpha.", "Why: the arms may differ in more than one thing."),
    "none": (
        "An equivalence test, adjusted for its family, puts the difference from the reference inside the "
        "margin.",
        "That the arms do the same: gains and losses may cancel between tasks."),
    "harms": (
        "The score is lower with this arm than with the reference, on the same tasks. The adjusted p-value "
        "is at or below alpha.", "Why: the arms may differ in more than one thing."),
    "inconclusive": (
        "The data show neither a difference from the reference nor its absence.",
        "Anything about the difference. It is not evidence of no difference; more tasks may settle it."),
}
"""The entries where arms are compared with a reference, without mention of memory or damage."""
# fmt: on


def verdict_word(word: str) -> VerdictWord:
    """The entry of a word; a word of a later version is shown as an open question."""
    unknown = VerdictWord(word, "?", "o", "open", "", "A word this report does not know.", "")
    return next((entry for entry in ALL if entry.word == word), unknown)


def glossary(results: Results) -> tuple[VerdictWord, ...]:
    """The words that can occur in these results; for a user's own table, only those that do occur."""
    if reference_of(results):
        named = ((entry, _COMPARED[entry.word]) for entry in ALL if entry.word in _COMPARED)
        return tuple(
            replace(entry, about="differences", means=means, silent=silent)
            for entry, (means, silent) in named
        )
    if not results.table:
        return ALL
    judged = {row.verdict for row in results.estimates} | {row.verdict for row in results.hypotheses}
    notes = " ".join(results.notes)
    return tuple(entry for entry in ALL if entry.word in judged or f"`{entry.word}`" in notes)
