"""Where two texts differ, word by word, and which differences turn the advice round.

Read from the texts alone. Each sentence is compared with its counterpart; two turns in one sentence
cancel each other ("unless S, avoid A" is close to "when S, do A"), so that only an odd number counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import accumulate, chain

from loadbearing.memory.words import words
from loadbearing.perturbations.language.lexicon import ANTONYMS, CONDITIONS, NEGATORS, NUMBERS
from loadbearing.perturbations.language.sentences import cut

Change = tuple[list[str], list[str]]
_MOST_PAIRS = 400_000
"""Pairs of equal words that are looked at; beyond that, two sentences are compared as two bags of words."""


def n_changed(before: str, after: str) -> int:
    """Number of words taken out, put in or replaced."""
    pairs = _pairs(_tokens(before.splitlines()), _tokens(after.splitlines()))
    return sum(max(len(old), len(new)) for one, other in pairs for old, new in _changes(one, other))


def n_flips(before: str, after: str) -> int:
    """Number of sentences that advise the opposite: polarity, order, condition, antonym or value changed."""
    pairs = _pairs(_tokens(cut(before)), _tokens(cut(after)))
    return sum(_turns(one, other) % 2 for one, other in pairs)


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
    """Runs of words that differ; all of them as one where the two are too long to be laid side by side."""
    low = 0
    while low < min(len(before), len(after)) and before[low] == after[low]:
        low += 1
    tail = 0
    while tail < min(len(before), len(after)) - low and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[low : len(before) - tail], after[low : len(after) - tail]
    gaps = _gaps(old, new)
    if gaps is None:
        here, there = Counter(old), Counter(new)
        yield (list((here - there).elements()), list((there - here).elements()))
        return
    yield from ((old[a:b], new[c:d]) for a, b, c, d in gaps)


def _gaps(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]] | None:
    """What lies between the stretches that both have in common; None where finding them takes too long."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    # a search for the longest stretch looks at every pair of equal words
    times = Counter(new)
    costs = [0, *accumulate(1 + times[word] for word in old)]
    regions, common, looked_at = [(0, len(old), 0, len(new))], [(len(old), len(new), 0)], 0
    while regions:
        a, b, c, d = regions.pop()
        looked_at += costs[b] - costs[a]
        if looked_at > _MOST_PAIRS:
            return None
        i, j, size = matcher.find_longest_match(a, b, c, d)
        if size:
            common.append((i, j, size))
            sides = (a, i, c, j), (i + size, b, j + size, d)
            regions += [side for side in sides if side[0] < side[1] and side[2] < side[3]]
    gaps, at, to = [], 0, 0
    for i, j, size in sorted(common):
        if (at, to) != (i, j):
            gaps.append((at, i, to, j))
        at, to = i + size, j + size
    return gaps


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
