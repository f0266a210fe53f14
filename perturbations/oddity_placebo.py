"""The oddity placebo of a kind: the advice stands, as many words around it are damaged in the same way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memtrial.agents.slot import Slot
from memtrial.memory.language.sentences import Edit, apply, mask_quotes
from memtrial.memory.language.structure import place_parts
from memtrial.memory.words import words
from memtrial.perturbations.advice.advice_spans import Around, advice_spans, spans_around
from memtrial.perturbations.aim import Aim, Declaration, Length, Verbatim, Wording
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.damage_contract import (
    NO_CONTEXT,
    ODDITY,
    DamageContext,
    Damaged,
    Divisible,
    NotApplicable,
    PieceDamage,
)
from memtrial.perturbations.filler import Filler
from memtrial.perturbations.irrelevant.irrelevant_generic import IrrelevantGeneric
from memtrial.perturbations.irrelevant.odd_addition import add_beside
from memtrial.perturbations.language.differences import n_changed, n_negations
from memtrial.perturbations.language.word_spans import TextWord, locate_words, n_words

if TYPE_CHECKING:
    from numpy.random import Generator

ODD: tuple[Divisible, ...] = (CorruptMask(), Filler(), CorruptInvert(), IrrelevantGeneric())
"""Kinds that can be done to some of the words, and the same way to others."""
TOLERANCE = 0.15
_LEAST_LENGTH, _MOST_LENGTH = 0.9, 2.2
_NOTHING_TO_SAY = "too few words stand outside its advice, and its items are too short to add any"
_JOINT = re.compile(r"(?<=[,;:])(?=\s)|(?=\s(?:and|or|but|so|when|where|if|than|by|for|from|with|of)\s)")


_Place = tuple[int, str, Around]


class _Damage(NamedTuple):
    """One change that can be made to an item, and the number of words that it damages."""

    item: int
    edit: Edit
    n: int
    longer: int = 0


@dataclass(frozen=True, slots=True)
class Oddity:
    """Keep what to do and when verbatim; damage as many other words as the kind damages in the whole slot.

    Where too few words stand around the advice, every item stays verbatim, and odd text of as many words is
    added behind it: about nothing, damaged in the same way. Of an inversion each item holds as many negations
    as the inverted one, or more. It costs a reader of the content nothing, and one that stumbles over odd
    text, or over negations, as much as the kind does.

    Source: STATISTICS 0d.
    """

    kind: Divisible

    @property
    def name(self) -> str:
        return f"{ODDITY}+{self.kind.name}"

    @property
    def aim(self) -> Aim:
        verbatim = Verbatim(self.kind.aim.verbatim.quotes, spans=advice_spans)
        # text may stand beside the item, of as many words as the kind damages: of all, at most
        return Aim(
            length=Length(_LEAST_LENGTH, _MOST_LENGTH),
            verbatim=verbatim,
            wording=Wording(sentences=False),
            declared=Declaration("wording"),
        )

    @property
    def pieces(self) -> PieceDamage:
        """How the kind damages some of the words."""
        return self.kind.pieces

    def apply(
        self,
        slot: Slot,
        rng: Generator,
        context: DamageContext,
    ) -> Damaged | NotApplicable:
        # a placebo is as long as the damage that is shown, whoever wrote it
        shown = context.find_written(self.kind.name, slot)
        promised = _promise(self, slot, shown.slot.items if isinstance(shown, Damaged) else ())
        if isinstance(promised, NotApplicable):
            return promised
        wanted = sum(promised.n_damaged)
        # the slack of a word is no leave to do nothing
        around = promised.possible and promised.possible >= wanted - _slack(wanted)
        odd = self._damage_around(slot, wanted, rng) if around else slot
        less = self._missing_negations(odd, promised.n_negations)
        if around and not any(less):
            return Damaged(odd)
        n_added = (0,) * len(slot.items) if around else promised.n_damaged
        beside = add_beside(odd, self.pieces, n_added, less, rng)
        # whether something can be said hangs on the slot alone
        return Damaged(beside) if beside is not None else NotApplicable(_NOTHING_TO_SAY)

    def _missing_negations(self, odd: Slot, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """How many fewer each item holds than it does where its advice is turned round."""
        turns = self.pieces.turn_sentences is not None
        return tuple(
            max(0, n - n_negations(item)) if turns else 0 for n, item in zip(wanted, odd.items, strict=True)
        )

    def _damage_around(self, slot: Slot, wanted: int, rng: Generator) -> Slot:
        chosen = self._damage_most(slot, wanted, rng)
        if sum(damage.n for damage in chosen) < wanted - _slack(wanted):
            from numpy.random import default_rng

            chosen = self._damage_most(slot, wanted, default_rng(0))  # the draw on which the promise rests
        items = (
            apply(item, [damage.edit for damage in chosen if damage.item == number])
            for number, item in enumerate(slot.items)
        )
        return Slot(slot.cue, tuple(items))

    def _damage_most(self, slot: Slot, wanted: int, rng: Generator) -> list[_Damage]:
        """Damage to so many words, or to all that there are; fields that advise nothing come first."""
        chosen: list[_Damage] = []
        left, room = wanted, [n_words(item) // 10 for item in slot.items]
        for damage in self._possible(slot, rng):
            fits = damage.n <= left or (not chosen and damage.n <= wanted + _slack(wanted))
            if fits and abs(damage.longer) <= room[damage.item]:
                chosen.append(damage)
                left, room[damage.item] = (
                    left - damage.n,
                    room[damage.item] - abs(damage.longer),
                )
        return chosen

    def _possible(self, slot: Slot, rng: Generator) -> Iterator[_Damage]:
        candidates = [
            (number, item, stretch)
            for number, item in enumerate(slot.items)
            for stretch in spans_around(item)
        ]
        for apart in (True, False):
            of_rank = [place for place in candidates if place[2].apart == apart]
            if self.pieces.replace_words is not None:
                damages = [*_replace_words(of_rank, self.pieces.replace_words(slot, rng))]
            else:
                damages = [*self._stretch_by_stretch(of_rank, rng)]
            yield from (damages[int(offset)] for offset in rng.permutation(len(damages)))

    def _stretch_by_stretch(self, candidates: list[_Place], rng: Generator) -> Iterator[_Damage]:
        for number, item, stretch in candidates:
            text = item[stretch.start : stretch.end]
            if self.pieces.write_sentence is not None:
                # a sentence does not stand in the place of a clause
                ways = [self._write_alone(text, rng)] if stretch.whole else []
            elif stretch.names or n_negations(text):
                continue  # what speaks against something would speak for it, or be no English
            else:
                ways = [
                    self._write_alone(text, rng),
                    "".join(self._write_alone(piece, rng) for piece in _pieces(text)),
                ]
            n, after = max(((n_changed(text, way), way) for way in ways), default=(0, text))
            if n:
                yield _Damage(
                    number,
                    Edit(stretch.start, stretch.end, after),
                    n,
                    n_words(after) - n_words(text),
                )

    def _write_alone(self, text: str, rng: Generator) -> str:
        """A piece of text as the kind damages it; as it was where it cannot."""
        if self.pieces.write_sentence is not None:
            return self.pieces.write_sentence(text, rng)
        return apply(text, chain(*self.pieces.turn_sentences(text))) if self.pieces.turn_sentences else text


def _replace_words(places: list[_Place], change: Callable[[TextWord], str]) -> Iterator[_Damage]:
    for number, item, stretch in places:
        for start, word in _words(item, stretch):
            if (text := change(word)) != word.text:
                yield _Damage(number, Edit(start + word.start, start + word.end, text), 1)


def _slack(wanted: int) -> float:
    """Words more or less: a share of them, and one where they are few."""
    return max(1.0, TOLERANCE * wanted)


class _Promise(NamedTuple):
    """Words that the kind damages in each item, and negations in each once it is damaged; how many words can
    be damaged outside the advice, all together."""

    n_damaged: tuple[int, ...]
    n_negations: tuple[int, ...]
    possible: int


@lru_cache(maxsize=1024)
def _promise(placebo: Oddity, slot: Slot, written: tuple[str, ...]) -> _Promise | NotApplicable:
    """What is done to the slot, the same for every seed.

    Args:
        written: the items that a model wrote for the kind, where it did.
    """
    from numpy.random import default_rng

    if not written:
        done = placebo.kind.apply(slot, default_rng(0), NO_CONTEXT)
        if isinstance(done, NotApplicable):
            return done
        written = done.slot.items
    count = _n_replaced if placebo.pieces.replace_words is not None else n_changed
    n_damaged = tuple(map(count, slot.items, written))
    possible = placebo._damage_most(slot, sum(n_damaged), default_rng(0))
    return _Promise(n_damaged, tuple(map(n_negations, written)), sum(damage.n for damage in possible))


def _n_replaced(before: str, after: str) -> int:
    """Where each word has another one in its place, or itself."""
    return sum(first != second for first, second in zip(words(before), words(after), strict=False))


def _pieces(text: str) -> Iterator[str]:
    offset = 0
    for joint in _JOINT.finditer(mask_quotes(text)):
        yield text[offset : joint.start()]
        offset = joint.start()
    yield text[offset:]


def _words(item: str, stretch: Around) -> Iterator[tuple[int, TextWord]]:
    """The words in a stretch that do not only shape the text, with the place of their body."""
    for part, offset in place_parts(item):
        if offset <= stretch.start < offset + len(part.body):
            for word in locate_words(part):
                if stretch.start <= offset + word.start < stretch.end and not word.framed:
                    yield offset, word
