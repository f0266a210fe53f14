"""A verdict word as a reader meets it: symbol, tone, what it means and what it does not."""

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

    @property
    def printed(self) -> str:
        """The word as people read it."""
        return printed(self.word)


def printed(word: str) -> str:
    """A word as it is printed; `results.json` keeps the short one."""
    return "no effect" if word == "none" else word


def effect(word: str, about: str, means: str, silent: str) -> VerdictWord:
    """A word for an effect that is shown."""
    return VerdictWord(word, "▲", "^", True, "effect", about, means, silent)


def absence(word: str, about: str, means: str, silent: str) -> VerdictWord:
    """A word for an effect that is shown to be small."""
    return VerdictWord(word, "■", "s", True, "absence", about, means, silent)


def harm(word: str, about: str, means: str, silent: str) -> VerdictWord:
    """A word for an effect of the other sign."""
    return VerdictWord(word, "▼", "v", True, "harm", about, means, silent)
