"""The verdict words of a report, each with its symbol, tone and explanation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, cast

from memtrial.views.lookup import reference_of
from memtrial.views.rows.results import Results

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
    def label(self) -> str:
        """The word as reports print it."""
        return printed_word(self.word)


def printed_word(word: str) -> str:
    """A word as it is printed; `results.json` keeps the short one."""
    return "no effect" if word == "none" else word


def _read_blocks() -> Iterator[VerdictWord]:
    """Each block of glossary.txt."""
    text = (files("memtrial.reports.text") / "glossary.txt").read_text(encoding="utf-8")
    for block in text.split("\n[")[1:]:
        head, _, means = block.partition("\n")
        marks, _, about = head.partition(", of ")
        word, symbol, marker, tone = marks.replace("]", "").split()
        meaning, _, silent = " ".join(means.split()).partition(" It does not say: ")
        yield VerdictWord(word, symbol, marker, cast(Tone, tone), about, meaning, silent)


ALL = tuple(_read_blocks())
_COMPARED = ("helps", "none", "harms", "inconclusive")
"""The words where arms are compared with a reference."""


def verdict_word(word: str) -> VerdictWord:
    """The entry of a word; a word of a later version is shown as an open question."""
    unknown = VerdictWord(word, "?", "o", "open", "", "A word this report does not know.", "")
    return next((entry for entry in ALL if entry.word == word), unknown)


def glossary(results: Results) -> tuple[VerdictWord, ...]:
    """The words that can occur in these results; for a user's own table, only those that do occur."""
    if reference_of(results):
        return tuple(replace(entry, about="differences") for entry in ALL if entry.word in _COMPARED)
    if not results.table:
        return ALL
    judged = {row.verdict for row in results.estimates} | {row.verdict for row in results.hypotheses}
    notes = " ".join(results.notes)
    return tuple(entry for entry in ALL if entry.word in judged or f"`{entry.word}`" in notes)
