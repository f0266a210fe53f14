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
        symbol, marker: told from the others by its shape alone; matplotlib's name for that shape.
        tone: which colour it takes; the shape of an open question is hollow.
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
        """The word as people read it."""
        return printed(self.word)


def printed(word: str) -> str:
    """A word as it is printed; `results.json` keeps the short one."""
    return "no effect" if word == "none" else word
