"""The verdict words as a reader meets them: symbol, tone, what each means and what it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Tone = Literal["effect", "absence", "harm", "open"]

TONES: Mapping[Tone, str] = MappingProxyType(
    {"effect": "#0b5fa5", "absence": "#8a5200", "harm": "#a3195b", "open": "#5b6470"}
)
"""Colours on white, each of at least 4.5 : 1; shape and word say the same, so that none is needed."""


@dataclass(frozen=True, slots=True)
class VerdictWord:
    """One word, in the three ways it is shown, and its fine print.

    Args:
        word: as in `results.json`.
        symbol: one character that is told from the others by its shape alone.
        marker: matplotlib's name for that shape.
        filled: whether the shape is solid; open questions are hollow.
        tone: which colour it takes.
        about: the estimands that can carry the word.
        means: what has been shown.
        silent: what has not been shown.
    """

    word: str
    symbol: str
    marker: str
    filled: bool
    tone: Tone
    about: str
    means: str
    silent: str


ALL: tuple[VerdictWord, ...] = (
    VerdictWord(
        "load-bearing",
        "▲",
        "^",
        True,
        "effect",
        "drops and contrasts",
        "The score falls when this text is damaged (a contrast: it falls further for the treatment than for "
        "the control). The adjusted p-value is at or below alpha.",
        "That the advice is right, that the memory helps on net, or that the oddity of damaged text plays "
        "no part.",
    ),
    VerdictWord(
        "inert",
        "■",
        "s",
        True,
        "absence",
        "drops and contrasts",
        "An equivalence test puts the effect inside the margin, in an arm whose memory helps, so that there "
        "was something to lose (a contrast: the two drops differ by less than the margin).",
        "That the effect is zero, that the text goes unread, or that no single task is affected: effects "
        "that cancel between tasks are not ruled out.",
    ),
    VerdictWord(
        "reversed",
        "▼",
        "v",
        True,
        "harm",
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
)

_BY_WORD: Mapping[str, VerdictWord] = MappingProxyType({entry.word: entry for entry in ALL})


def verdict_word(word: str) -> VerdictWord:
    """The entry of a word; a word of a later version is shown as an open question."""
    unknown = VerdictWord(word, "?", "o", False, "open", "", "A word this report does not know.", "")
    return _BY_WORD.get(word, unknown)
