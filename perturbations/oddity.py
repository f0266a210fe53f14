"""The oddity placebo of a kind: the advice stands, as many words around it are damaged in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from numpy.random import Generator, default_rng

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.memory.language.sentences import Edit, apply, mask_quotes
from loadbearing.memory.language.structure import placed
from loadbearing.memory.words import words
from loadbearing.perturbations.advice.advice_spans import Around, around, standing
from loadbearing.perturbations.corrupt_invert import CorruptInvert
from loadbearing.perturbations.corrupt_mask import CorruptMask, masking
from loadbearing.perturbations.filler import Filler, filling
from loadbearing.perturbations.irrelevant.irrelevant_generic import IrrelevantGeneric
from loadbearing.perturbations.language.differences import n_changed
from loadbearing.perturbations.language.words import Word, located, n_words
from loadbearing.perturbations.perturbation import Aim, Perturbation

ODDITY = "oddity"
ODD = ("corrupt_mask", "filler", "corrupt_invert", "irrelevant_generic")
"""Kinds that can be done to some of the words, and the same way to others."""
TOLERANCE = 0.15
_JOINT = re.compile(r"(?<=[,;:])(?=\s)|(?=\s(?:and|or|but|so|when|where|if|than|by|for|from|with|of)\s)")


@dataclass(frozen=True, slots=True)
class Oddity:
    """Keep what to do and when verbatim; damage as many other words as the kind damages in the whole slot.

    It costs a reader of the content nothing, and one that stumbles over odd text as much as the kind does.

    Source: STATISTICS 0d.
    """

    kind: Perturbation

    @property
    def name(self) -> str:
        return f"{ODDITY}+{self.kind.name}"

    @property
    def aim(self) -> Aim:
        aim = replace(self.kind.aim, effect="wording", raw="no", prose=False)
        return replace(aim, content_left=(0.0, 1.0), flips=0, roles=None, standing=standing)

    def why_not(self, slot: Slot, donor: Slot) -> str:
        if reason := self.kind.why_not(slot, donor):
            return reason
        wanted, can = _promised(self, slot)
        if can >= wanted - _slack(wanted):
            return ""
        return (
            f"too few words stand outside its advice: {can} can be damaged there, where {self.kind.name}"
            f" damages {wanted} in the whole slot"
        )

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        if self.why_not(slot, donor):
            return slot
        wanted, _ = _promised(self, slot)
        chosen = self._most(slot, wanted, rng)
        if sum(one.n for one in chosen) < wanted - _slack(wanted):
            chosen = self._most(slot, wanted, default_rng(0))  # the draw on which `why_not` rests
        items = (
            apply(item, [one.edit for one in chosen if one.item == number])
            for number, item in enumerate(slot.items)
        )
        return Slot(slot.cue, tuple(items))

    def _most(self, slot: Slot, wanted: int, rng: Generator) -> list[_Damage]:
        """Damage to so many words, or to all that there are; fields that advise nothing come first."""
        chosen: list[_Damage] = []
        left, room = wanted, [n_words(item) // 10 for item in slot.items]
        for one in self._possible(slot, rng):
            fits = one.n <= left or (not chosen and one.n <= wanted + _slack(wanted))
            if fits and abs(one.longer) <= room[one.item]:
                chosen.append(one)
                left, room[one.item] = left - one.n, room[one.item] - abs(one.longer)
        return chosen

    def _possible(self, slot: Slot, rng: Generator) -> Iterator[_Damage]:
        found = [(number, item, one) for number, item in enumerate(slot.items) for one in around(item)]
        for apart in (True, False):
            of_rank = [place for place in found if place[2].apart == apart]
            if isinstance(self.kind, CorruptMask | Filler):
                yield from _shuffled([*self._word_by_word(slot, of_rank, rng)], rng)
            else:
                yield from _shuffled([*self._stretch_by_stretch(of_rank, rng)], rng)

    def _word_by_word(self, slot: Slot, found: list[_Place], rng: Generator) -> Iterator[_Damage]:
        change = masking(slot, rng) if isinstance(self.kind, CorruptMask) else filling(slot, rng)
        for number, item, one in found:
            for at, word in _words(item, one):
                yield _Damage(number, Edit(at + word.start, at + word.end, change(word)), 1)

    def _stretch_by_stretch(self, found: list[_Place], rng: Generator) -> Iterator[_Damage]:
        for number, item, one in found:
            text = item[one.start : one.end]
            if isinstance(self.kind, IrrelevantGeneric):
                # a sentence does not stand in the place of a clause
                ways = [self._alone(text, rng)] if one.whole else []
            elif one.names:
                continue
            else:
                ways = [self._alone(text, rng), "".join(self._alone(piece, rng) for piece in _pieces(text))]
            n, after = max(((n_changed(text, way), way) for way in ways), default=(0, text))
            if n:
                yield _Damage(number, Edit(one.start, one.end, after), n, n_words(after) - n_words(text))

    def _alone(self, text: str, rng: Generator) -> str:
        """A piece of text as the kind damages it; as it was where it cannot."""
        if isinstance(self.kind, CorruptInvert):
            return apply(text, chain(*self.kind.turns(text)))
        slot = Slot("", (text,))
        return text if self.kind.why_not(slot, NOTHING) else self.kind(slot, rng, NOTHING).items[0]


def _slack(wanted: int) -> float:
    """Words more or less: a share of them, and one where they are few."""
    return max(1.0, TOLERANCE * wanted)


_Place = tuple[int, str, Around]


class _Damage(NamedTuple):
    """One change that can be made to an item, and the number of words that it damages."""

    item: int
    edit: Edit
    n: int
    longer: int = 0


@lru_cache(maxsize=1024)
def _promised(placebo: Oddity, slot: Slot) -> tuple[int, int]:
    """Words that its kind damages in the slot, and of how many it can do so outside the advice."""
    after = placebo.kind(slot, default_rng(0), NOTHING)  # the same for every seed, so that it can be promised
    count = _n_replaced if isinstance(placebo.kind, CorruptMask | Filler) else n_changed
    wanted = sum(map(count, slot.items, after.items))
    return wanted, sum(one.n for one in placebo._most(slot, wanted, default_rng(0)))


def _n_replaced(before: str, after: str) -> int:
    """Where each word has another one in its place, or itself."""
    return sum(one != other for one, other in zip(words(before), words(after), strict=False))


def _pieces(text: str) -> Iterator[str]:
    at = 0
    for joint in _JOINT.finditer(mask_quotes(text)):
        yield text[at : joint.start()]
        at = joint.start()
    yield text[at:]


def _words(item: str, one: Around) -> Iterator[tuple[int, Word]]:
    """The words in a stretch that do not only shape the text, with the place of their body."""
    for part, at in placed(item):
        if at <= one.start < at + len(part.body):
            for word in located(part):
                if one.start <= at + word.start < one.end and not word.framed:
                    yield at, word


def _shuffled(found: Sequence[_Damage], rng: Generator) -> Iterator[_Damage]:
    return (found[int(place)] for place in rng.permutation(len(found)))
