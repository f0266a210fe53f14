"""Somebody else's memory in the frame of this one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.memory.words import content_words, words
from loadbearing.perturbations.language.words import content, framed_share, nothing_to_damage
from loadbearing.perturbations.layout.body_text import FENCE, MOST_FRAMED, replaced, unspaced
from loadbearing.perturbations.layout.structure import parts
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

MOST_LEFT = 0.30
_SOUGHT = 0.20  # what is looked for, so that other counts of words agree that it is less than MOST_LEFT
_LEAST_SAID = 4  # content words of the donor that the slot does not hold
_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+|\|")
_PREFIX = re.compile(r"^(?:not\s+)?(?:task|state|action|heuristic|check)\b\s*:?", re.IGNORECASE)
_TYPED = ("trigger", "form")  # fragments, no sentences


@dataclass(frozen=True, slots=True)
class IrrelevantSwap:
    """Keep cue, headings, layout and the number of words; let the donor's sentences speak.

    Source: the kind of Irrelevant in arXiv 2601.22436, appendix D.2, that shows another task's summary.
    """

    name: str = "irrelevant_swap"
    effect: Effect = "meaning"
    raw: Raw = "also"

    @property
    def aim(self) -> Aim:
        """At most 30 % of the content words left."""
        return Aim(content_left=(0.0, MOST_LEFT))

    def why_not(self, slot: Slot, donor: Slot) -> str:
        """The donor must have something to say, and something else."""
        if reason := nothing_to_damage(slot):
            return reason
        if unspaced(slot):
            return "the items are written in a script without spaces, whose length cannot be matched"
        if donor.empty or not content(donor.items):
            return "the donor holds no content word"
        said = {word for one in _foreign(slot, donor, None) for word in content_words(" ".join(one.words))}
        if len(said - content(slot.items).keys()) < _LEAST_SAID:
            return f"the donor says too little that would leave at most {MOST_LEFT:.0%} of the content words"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        """The same shape, filled with the donor's sentences, those of the same field first."""
        voice = _Voice(_foreign(slot, donor, rng))
        keep_frame = framed_share(slot) <= MOST_FRAMED
        items = (
            "".join(replaced(part, voice.words, keep_frame) for part in parts(item)) for item in slot.items
        )
        return Slot(slot.cue, tuple(items) if voice.sentences else slot.items)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A donor's sentence as bare words, and the field it comes from."""

    label: str
    words: tuple[str, ...]


@dataclass(slots=True)
class _Voice:
    """The donor's sentences: for each field first those of the same field, then prose, then all again."""

    sentences: tuple[_Sentence, ...]
    _read: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _shelves: dict[str, tuple[list[_Sentence], list[_Sentence]]] = field(default_factory=dict)

    def words(self, label: str, n: int) -> list[str]:
        """The next `n` words for this field: whole sentences, the last one cut."""
        if label not in self._shelves:
            self._shelves[label] = self._sorted(label)
        own, rest = self._shelves[label]
        taken: list[str] = []
        first = self._read[label] + 1
        self._read[label] += len(own)
        for number in range(first, first + len(own)):
            if len(taken) >= n:
                break
            taken += own[number % len(own)].words
        while len(taken) < n:
            self._read[""] += 1
            taken += rest[self._read[""] % len(rest)].words
        return _closed(taken[:n])

    def _sorted(self, label: str) -> tuple[list[_Sentence], list[_Sentence]]:
        """The sentences of this field, and those that follow when they have all been heard."""
        own = [one for one in self.sentences if one.label == label]
        rest = [one for one in self.sentences if one.label != label and one.label not in _TYPED]
        return own, rest or own or list(self.sentences)


def _foreign(slot: Slot, donor: Slot, rng: Generator | None) -> tuple[_Sentence, ...]:
    """The donor's sentences that together leave few of the slot's content words, least overlap first."""
    before = content(slot.items)
    found = list(dict.fromkeys(_sentences(donor)))
    order = list(range(len(found))) if rng is None else [int(i) for i in rng.permutation(len(found))]
    vocabulary = [frozenset(content_words(" ".join(one.words))) for one in found]
    common = [{word for word in words if word in before} for words in vocabulary]
    shared = [len(own) / max(1, len(words)) for own, words in zip(common, vocabulary, strict=True)]
    framed = framed_share(slot)
    budget = MOST_LEFT - framed if framed <= MOST_FRAMED else MOST_LEFT
    heard: set[str] = set()
    n_tokens, all_tokens = 0, before.total()
    chosen: list[_Sentence] = []
    for place in sorted(order, key=shared.__getitem__):
        new = common[place] - heard
        n_new = sum(before[word] for word in new)
        # as `left` has it, by type or by token, of what was heard already and what is new
        by_type, by_token = len(heard) + len(new), n_tokens + n_new
        share = max(by_type / len(before), by_token / all_tokens) if by_type else 0.0
        if vocabulary[place] and share <= min(_SOUGHT if chosen else MOST_LEFT, budget):
            heard |= new
            n_tokens = by_token
            chosen.append(found[place])
    return tuple(chosen)


def _sentences(donor: Slot) -> Iterator[_Sentence]:
    for item in donor.items:
        for part in parts(item):
            for text in _ENDS.split(part.body):
                said = _PREFIX.sub("", text.strip()) if part.label in _TYPED else text
                bare = (token.strip("#*_") for token in said.split())
                spoken = tuple(word for word in bare if words(word) and not FENCE.search(word))
                if spoken and len(words("".join(spoken))) <= 3 * len(spoken):
                    yield _Sentence(part.label, spoken)


def _closed(taken: list[str]) -> list[str]:
    """A cut sentence still closes its quotes."""
    for mark in ("`", '"'):
        if sum(word.count(mark) for word in taken) % 2:
            taken[-1] += mark
    return taken
