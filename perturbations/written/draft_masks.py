"""Which words a draft masks, and the text with marks in the place of these words, in all places.

A model says which words tell what to do; the marks are put by the program, one for each word and everywhere
alike, whatever the model wrote in their place.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from numpy.random import default_rng

from memtrial.agents.slot import Slot
from memtrial.memory.language.structure import parts, skeleton
from memtrial.memory.words import words
from memtrial.perturbations.advice.advice_words import word_key
from memtrial.perturbations.corrupt_mask import make_marks
from memtrial.perturbations.damage_contract import Items
from memtrial.perturbations.language.differences import gaps
from memtrial.perturbations.language.word_spans import TextWord, locate_words, reword

MOST_MASKED = 0.7
"""Share of the words of a text that are masked, at most: when it counts, and why, stand. The rules mask 23 %
of an item at the median, and 65 % at most, of 200 items by three hands."""
_MARK = re.compile(
    r"(?i)\[(?:[xzqwkj_#?.…-]{1,20}|mask(?:ed)?|hidden|blank|redacted)\]|(?<![\w`])_{3,}(?!\w)|[█▇■□▢囗]{1,40}"
    r"|(?<!\w)x{3,20}(?!\w)"
)
_SIGN = "\ue001"  # stands for a mark; a word of no text


class Masking(NamedTuple):
    """What a draft masks of an item.

    Args:
        places: numbers of the words that are masked, of all words of its bodies.
        keys: the content words among them, see `word_key`.
        fault: what it does beside masking, or does not do; all else is empty then.
    """

    places: frozenset[int] = frozenset()
    keys: frozenset[str] = frozenset()
    fault: str = ""


def read_masking(before: str, after: str) -> Masking:
    """What the draft masks of an item: its words are those of the item, in order, but for the marks."""
    if skeleton(before) != skeleton(after) or len(parts(before)) != len(parts(after)):
        return Masking(fault="its headings are not those of the intact text")
    located = [word for part in parts(before) for word in locate_words(part)]
    places: set[int] = set()
    start = 0
    for line, other in _lines_of(before, after):
        was = _read_tokens(line)
        masked, fault = _align([token.text for token in was], [token.text for token in _read_tokens(other)])
        if fault:
            return Masking(fault=fault)
        numbers = [*accumulate((token.n_words for token in was), initial=start)]
        places.update(numbers[place] for place in masked)
        start = numbers[-1]
    masked_words = [located[place] for place in sorted(places)]
    open_words = [word for word in located if not word.framed]
    if not any(word.stem and not word.framed for word in masked_words):
        return Masking(fault="no word that carries content is masked")
    if len(masked_words) > MOST_MASKED * len(open_words):
        return Masking(
            fault=f"{len(masked_words)} of {len(open_words)} words are masked;"
            f" at most {int(MOST_MASKED * len(open_words))} are wanted"
        )
    keys = frozenset(word_key(word) for word in masked_words if word.stem and not word.framed)
    return Masking(frozenset(places), keys)


def _lines_of(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Each line of the bodies and its counterpart; whole bodies where their lines are not as many."""
    for old, new in zip(parts(before), parts(after), strict=True):
        was, now = (part.body.split("\n") for part in (old, new))
        yield from zip(was, now, strict=True) if len(was) == len(now) else [(old.body, new.body)]


class _Token(NamedTuple):
    """A word, or the sign of a mark; the intact text may hold such marks itself, of some words or of none."""

    text: str
    n_words: int


def _read_tokens(line: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    for match in _MARK.finditer(line):
        tokens += [_Token(word, 1) for word in words(line[place : match.start()])]
        tokens.append(_Token(_SIGN, len(words(match[0]))))
        place = match.end()
    return [*tokens, *(_Token(word, 1) for word in words(line[place:]))]


def _align(was: list[str], now: list[str]) -> tuple[list[int], str]:
    """The numbers of the words that marks stand for; or what is not as it was."""
    if len(was) == len(now) and all(new in (old, _SIGN) for old, new in zip(was, now, strict=True)):
        return [place for place, token in enumerate(now) if token == _SIGN != was[place]], ""
    between = gaps([word.casefold() for word in was], [word.casefold() for word in now])
    if between is None:
        return [], "a line is too long to see which words are masked; give each of them a mark of its own"
    masked: list[int] = []
    for low, high, start, stop in between:
        if extra := [token for token in now[start:stop] if token != _SIGN]:
            return [], f"it has other words beside the marks: {' '.join(extra)[:60]!r}"
        if start == stop:
            return [], f"words are gone without a mark: {' '.join(was[low:high])[:60]!r}"
        # where no word was a sign was masked, such as $, which stays
        masked += range(low, high)
    return masked, ""


def mask_items(before: Items, drafts: Sequence[str]) -> Items:
    """The intact items with marks for the words that the drafts mask.

    A content word that is masked in one place is masked in all: it would give itself away in the others.

    Args:
        drafts: one for each item, of which `read_masking` finds no fault.
    """
    read = [read_masking(item, draft) for item, draft in zip(before, drafts, strict=True)]
    keys = frozenset[str]().union(*(masking.keys for masking in read))
    mark = make_marks(Slot("", before), default_rng(0))
    return tuple(
        _put_marks(item, masking.places, keys, mark) for item, masking in zip(before, read, strict=True)
    )


def _put_marks(
    item: str, places: frozenset[int], keys: frozenset[str], mark: Callable[[TextWord], str]
) -> str:
    number = -1

    def change(word: TextWord) -> str:
        nonlocal number
        number += 1
        hidden = number in places or word_key(word) in keys
        return mark(word) if hidden and not word.framed else word.text

    return reword(item, change)
