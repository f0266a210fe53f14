"""Somebody else's memory in the frame of this one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.memory.words import content_words, words
from loadbearing.perturbations.language.structure import parts
from loadbearing.perturbations.language.words import (
    FENCE,
    MOST_FRAMED,
    content,
    framed_share,
    nothing_to_refill,
    refilled,
)
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

MOST_LEFT = 0.30
_SOUGHT = 0.20  # what is looked for, so that other counts of words agree that it is less than MOST_LEFT
_LEAST_SAID = 4  # content words of the donor that the slot does not hold
_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+|\|")
_PREFIX = re.compile(r"^(?:not\s+)?(?:task|state|action|heuristic|check)\b\s*:?", re.IGNORECASE)
_TYPED = ("trigger", "form")  # fragments, no sentences


@dataclass(frozen=True, slots=True)
class IrrelevantSwap:
    """Keep cue, headings, layout and the number of words; let the donor's sentences speak, those of the same
    field first.

    Source: the kind of Irrelevant in arXiv 2601.22436, appendix D.2, that shows another task's summary.
    """

    name: str = "irrelevant_swap"
    effect: Effect = "meaning"
    raw: Raw = "also"
    aim: Aim = Aim(content_left=(0.0, MOST_LEFT))

    def why_not(self, slot: Slot, donor: Slot) -> str:
        if reason := nothing_to_refill(slot):
            return reason
        if donor.empty or not content(donor.items):
            return "the donor holds no content word"
        said = {word for one in _foreign(slot, donor, None) for word in one.content}
        if len(said - content(slot.items).keys()) < _LEAST_SAID:
            return f"the donor says too little that would leave at most {MOST_LEFT:.0%} of the content words"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        sentences = _foreign(slot, donor, rng)
        return refilled(slot, _voice(sentences)) if sentences else slot


class _Sentence(NamedTuple):
    """A donor's sentence as bare words, and the field it comes from."""

    label: str
    words: tuple[str, ...]

    @property
    def content(self) -> frozenset[str]:
        return frozenset(content_words(" ".join(self.words)))


def _voice(sentences: list[_Sentence]) -> Callable[[str, int], list[str]]:
    """A call for the next n words of a field: whole sentences, those of the same field first, then prose; the
    last one is cut."""
    read: Counter[str] = Counter()

    def say(label: str, n: int) -> list[str]:
        own = [one for one in sentences if one.label == label]
        prose = [one for one in sentences if one.label != label and one.label not in _TYPED]
        rest = prose or own or sentences
        first = read[label] + 1
        read[label] += len(own)
        taken: list[str] = []
        for number in range(first, first + len(own)):
            if len(taken) < n:
                taken += own[number % len(own)].words
        while len(taken) < n:
            read[""] += 1
            taken += rest[read[""] % len(rest)].words
        taken = taken[:n]
        for mark in ("`", '"'):  # a cut sentence still closes its quotes
            if sum(word.count(mark) for word in taken) % 2:
                taken[-1] += mark
        return taken

    return say


def _foreign(slot: Slot, donor: Slot, rng: Generator | None) -> list[_Sentence]:
    """The donor's sentences that together leave few of the slot's content words, least overlap first."""
    before = content(slot.items)
    found = list(dict.fromkeys(_sentences(donor)))
    if rng is not None:
        found = [found[int(i)] for i in rng.permutation(len(found))]
    vocabulary = {one: one.content for one in found}
    shared = {one: len(said & before.keys()) / max(1, len(said)) for one, said in vocabulary.items()}
    framed = framed_share(slot)
    budget = MOST_LEFT - framed if framed <= MOST_FRAMED else MOST_LEFT
    heard: set[str] = set()
    n_tokens = 0
    chosen: list[_Sentence] = []
    for one in sorted(found, key=shared.__getitem__):
        new = vocabulary[one] & before.keys() - heard
        # as `left` has it, by type or by token, of what was heard already and what is new
        n_types, n_more = len(heard) + len(new), n_tokens + sum(before[word] for word in new)
        share = max(n_types / len(before), n_more / before.total()) if n_types else 0.0
        if vocabulary[one] and share <= min(_SOUGHT if chosen else MOST_LEFT, budget):
            heard |= new
            n_tokens = n_more
            chosen.append(one)
    return chosen


def _sentences(donor: Slot) -> Iterator[_Sentence]:
    for item in donor.items:
        for part in parts(item):
            for text in _ENDS.split(part.body):
                said = _PREFIX.sub("", text.strip()) if part.label in _TYPED else text
                bare = (token.strip("#*_") for token in said.split())
                spoken = tuple(word for word in bare if words(word) and not FENCE.search(word))
                if spoken and len(words("".join(spoken))) <= 3 * len(spoken):
                    yield _Sentence(part.label, spoken)
