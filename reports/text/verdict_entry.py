"""A verdict word as reports show it: symbol, tone, what it means and what it does not mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

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
