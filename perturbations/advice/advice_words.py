"""The words that say what to do, in every field where the advice stands."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from memtrial.memory.language.roles import Span, spans
from memtrial.memory.language.sentences import QUOTE_MASK, mask_quotes
from memtrial.memory.language.structure import HeadedPart, place_parts
from memtrial.perturbations.advice.advice_spans import advice_spans, spans_around
from memtrial.perturbations.language.word_spans import TextWord, locate_words

_QUOTED = re.compile(f"{QUOTE_MASK}+")
_BRACKETS = re.compile(r"\[[^\[\]\n]{1,200}\]")


def word_key(word: TextWord) -> str:
    """Words of one stem are the same word; function words stand by themselves (`=` marks them)."""
    return word.stem or "=" + word.text.casefold()


@lru_cache(maxsize=2048)
def advice_keys(item: str) -> frozenset[str]:
    """The content words of what to do, by stem.

    They stand in the advising sentences of a Claim, a Content or prose, without their conditions and reasons,
    and in a Title or a Description that names the advice. A quote in the advice that holds no content word is
    an answer, too: "no". Of an item whose sentences only explain, the content words of what it says.
    """
    runs = [*spans(item, "what")]
    named = [(stretch.start, stretch.end) for stretch in spans_around(item) if stretch.names]
    return _keys_in(item, [*_overlaps(runs, sorted([*advice_spans(item), *named]))]) or _keys_in(item, runs)


def _keys_in(item: str, places: list[Span]) -> frozenset[str]:
    keys: set[str] = set()
    for part, offset in place_parts(item):
        bare = _bare_quotes(part)
        for word in locate_words(part):
            inside = _holds(places, offset + word.start) and not word.framed
            if inside and (word.stem or _holds(bare, word.start)):
                keys.add(word_key(word))
    return frozenset(keys)


def _bare_quotes(part: HeadedPart) -> list[Span]:
    """The quotes without a content word."""
    quoted = [match.span() for match in _QUOTED.finditer(mask_quotes(part.body))]
    quoted += [match.span() for match in _BRACKETS.finditer(part.body)]
    quoted.sort()
    full = {_span_of(quoted, word.start) for word in locate_words(part) if word.stem}
    return [span for span in quoted if span not in full]


def _overlaps(first: list[Span], second: list[Span]) -> Iterator[Span]:
    """What lies in a span of either list; both are in order, and none of a list overlaps another."""
    place = other = 0
    while place < len(first) and other < len(second):
        low, high = max(first[place][0], second[other][0]), min(first[place][1], second[other][1])
        if low < high:
            yield low, high
        if first[place][1] <= second[other][1]:
            place += 1
        else:
            other += 1


def _holds(places: list[Span], start: int) -> bool:
    return _span_of(places, start) is not None


def _span_of(places: list[Span], start: int) -> Span | None:
    place = bisect_right(places, start, key=lambda span: span[0]) - 1
    return places[place] if place >= 0 and start < places[place][1] else None
