"""Edits of a sentence: a word replaced, a word put in, and room made for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadbearing.memory.words import POLARITY, STOP_WORDS
from loadbearing.perturbations.language.lexicon import ANTONYMS, CONDITIONS, DROPPABLE
from loadbearing.perturbations.language.sentences import Sentence

SMALL_WORDS = tuple(sorted(STOP_WORDS - POLARITY - ANTONYMS.keys() - CONDITIONS.keys()))
"""Words that turn nothing when they are missing."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `[start, end)` of a text."""

    start: int
    end: int
    text: str


Edits = tuple[Edit, ...]


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits, which must not overlap."""
    out, at = [], 0
    for edit in sorted(edits, key=lambda one: one.start):
        out += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*out, text[at:]])


def replace(s: Sentence, at: int, text: str) -> Edits:
    """The word at index `at` replaced, in its case."""
    word = s.words[at]
    return (Edit(word.start, word.end, _cased(s.raw[word.start : word.end], text)),)


def insert(s: Sentence, at: int, text: str, room: int, spare: tuple[str, ...] = DROPPABLE) -> Edits:
    """The word put before index `at`; where there is no room, a word that says little goes."""
    if at >= len(s.words):
        return ()
    word = s.words[at]
    first = s.raw[word.start : word.end]
    lowered = first if at or not _is_plain_capital(first) else first[:1].lower() + first[1:]
    edit = Edit(word.start, word.end, f"{_cased(first, text) if at == 0 else text} {lowered}")
    if room > 0:
        return (edit,)
    spared = _spare(s, at, spare)
    if spared is None:
        return ()
    if spared in (at, at - 1):
        return replace(s, spared, text)
    return (edit, _drop(s, spared))


def _spare(s: Sentence, at: int, spare: tuple[str, ...]) -> int | None:
    """Index of the word that can best be missed, behind the insertion rather than before it."""
    order: list[int] = [*range(at, len(s.words)), *range(at)]
    for text in spare:
        for place in order:
            word = s.words[place]
            around = (s.covered[max(0, word.start - 1) : word.start], s.covered[word.end : word.end + 1])
            if word.text == text and around[0] in ("", " ") and around[1] == " ":
                return place
    return None


def _drop(s: Sentence, at: int) -> Edit:
    word = s.words[at]
    raw = s.raw[word.start : word.end]
    rest = s.raw[word.end + 1 : word.end + 2]
    if at == 0 and raw[:1].isupper() and rest.isalpha():
        return Edit(word.start, word.end + 2, rest.upper())
    return Edit(word.start, word.end + 1, "")


def _cased(like: str, text: str) -> str:
    """In the case of the word it stands for."""
    if len(like) > 1 and like.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if like[:1].isupper() else text


def _is_plain_capital(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower()
