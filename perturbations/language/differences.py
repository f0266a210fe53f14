"""Where two texts differ, word by word, and which differences turn the advice round.

Read from the texts alone. Each sentence is compared with its counterpart; two turns in one sentence
cancel each other ("unless S, avoid A" is close to "when S, do A"), so that only an odd number counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain

from loadbearing.memory.words import words
from loadbearing.perturbations.language.lexicon import ANTONYMS, CONDITIONS, NEGATORS, NUMBERS
from loadbearing.perturbations.language.sentences import cut

Change = tuple[list[str], list[str]]
_MOST_PAIRS = 100_000
"""Pairs of words that are compared; longer texts are not laid side by side, but compared as two bags."""


def n_changed(before: str, after: str) -> int:
    """Number of words taken out, put in or replaced."""
    pairs = _pairs(_tokens(before.splitlines()), _tokens(after.splitlines()))
    return sum(max(len(old), len(new)) for one, other in pairs for old, new in _changes(one, other))


def n_flips(before: str, after: str) -> int:
    """Number of sentences that advise the opposite: polarity, order, condition, antonym or value changed."""
    return sum(_turns(*pair) % 2 for pair in _pairs(_tokens(cut(before)), _tokens(cut(after))))


def _tokens(pieces: list[str]) -> list[list[str]]:
    found = ([word.casefold().replace("’", "'") for word in words(piece)] for piece in pieces)
    return [tokens for tokens in found if tokens]


def _pairs(before: list[list[str]], after: list[list[str]]) -> Iterator[Change]:
    """Pieces and their counterparts, equal ones left out."""
    if len(before) == len(after):
        yield from ((one, other) for one, other in zip(before, after, strict=True) if one != other)
        return
    gaps = _gaps([" ".join(one) for one in before], [" ".join(one) for one in after])
    for low, high, start, stop in gaps or ((0, len(before), 0, len(after)),):
        yield (list(chain(*before[low:high])), list(chain(*after[start:stop])))


def _changes(before: list[str], after: list[str]) -> Iterator[Change]:
    """Runs of words that differ, between what both begin and end with."""
    low = _n_alike(before, after)
    tail = _n_alike(before[low:][::-1], after[low:][::-1])
    old, new = before[low : len(before) - tail], after[low : len(after) - tail]
    gaps = _gaps(old, new)
    if gaps is None:
        here, there = Counter(old), Counter(new)
        yield (list((here - there).elements()), list((there - here).elements()))
        return
    yield from ((old[a:b], new[c:d]) for a, b, c, d in gaps)


def _n_alike(one: list[str], other: list[str]) -> int:
    differ = (at for at, (word, its) in enumerate(zip(one, other, strict=False)) if word != its)
    return next(differ, min(len(one), len(other)))


def _gaps(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]] | None:
    """What lies between the stretches that both have in common; None where finding them takes too long."""
    if len(old) * len(new) > _MOST_PAIRS:
        return None
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [(a, b, c, d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _turns(before: list[str], after: list[str]) -> int:
    """Changes of direction in one sentence: a negation more or less, opposites, other values."""
    negations = _negations(after) - _negations(before)
    return negations % 2 + sum(_opposites(old, new) for old, new in _changes(before, after))


def _negations(tokens: list[str]) -> int:
    return sum(token in NEGATORS or token.endswith("n't") for token in tokens)


def _opposites(old: list[str], new: list[str]) -> int:
    """Words replaced by their opposite, and values by other values."""
    there = Counter(new)
    found = 0
    for word in old:
        for other in (ANTONYMS.get(word), CONDITIONS.get(word)):
            if other is not None and other not in NEGATORS and word not in NEGATORS and there[other] > 0:
                there[other] -= 1
                found += 1
                break
    values = [word for word in old if _is_value(word)]
    others = [word for word in new if _is_value(word)]
    return found + (len(values) if values != others and len(values) == len(others) else 0)


def _is_value(word: str) -> bool:
    return word in NUMBERS or re.fullmatch(r"\d+(?:\.\d+)*", word) is not None
