"""The placebo: the same advice in other words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.differences import n_flips
from loadbearing.perturbations.language.rewording import is_plain, opened, reordered, substituted
from loadbearing.perturbations.language.sentences import (
    Edit,
    Sentence,
    apply,
    cut,
    mask_quotes,
    n_quotes_lost,
    sentences_of,
)
from loadbearing.perturbations.language.structure import Part
from loadbearing.perturbations.language.words import content, n_words
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

LEAST_LEFT = 0.7
_LOST = 4  # at most one content word in so many goes: more is kept than must be
_GROWTH = 10  # one word more or less for so many
# names, what is compiled, and what of a trajectory is no thought
_SPARED = ("memory item", "title", "trigger", "form", "task", "start", "query", "question", "outcome")


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """Say the same in other words: clauses change places, small words stand for each other.

    Quotes, code, negations, numbers, Trigger, Form and all that names an action stay. Of a raw trajectory
    only the thoughts are reworded, and nothing moves. A drop under it is no drop of content.
    """

    name: str = "paraphrase"
    effect: Effect = "wording"
    raw: Raw = "no"
    aim: Aim = Aim(content_left=(LEAST_LEFT, 1.0), most_flips=0, quotes=True)

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        if slot.empty:
            return "the slot holds no item"
        if any(_choices(item) for item in slot.items):
            return ""
        return "no item holds an English sentence that could safely be said in other words"

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        return Slot(slot.cue, tuple(_reworded(item, rng) for item in slot.items))


class _Variant(NamedTuple):
    """A sentence in other words: how many words it is longer, and how many content words it has lost."""

    edit: Edit
    growth: int
    lost: int


def _reworded(item: str, rng: Generator) -> str:
    """Every sentence that can be said otherwise, in an order drawn, as long as length and content allow."""
    choices = _choices(item)
    room, losable = _bounds(item)
    growth, lost = 0, 0
    edits: list[Edit] = []
    for place in rng.permutation(len(choices)):
        fitting = [
            one
            for one in choices[int(place)]
            if abs(growth + one.growth) <= room and lost + one.lost <= losable
        ]
        if fitting:
            chosen = fitting[int(rng.integers(len(fitting)))]
            growth, lost = growth + chosen.growth, lost + chosen.lost
            edits.append(chosen.edit)
    return apply(item, edits)


@lru_cache(maxsize=1024)  # each repeat of a trial asks again
def _choices(item: str) -> tuple[tuple[_Variant, ...], ...]:
    """For each sentence the other ways to say it that are, each for itself, within the bounds of the item."""
    room, losable = _bounds(item)
    speech = [(part, at, one) for part, at, one in sentences_of(item) if _is_speech(part) and is_plain(one)]
    found = (_variants(at, sentence, _ways(sentence, bool(part.step))) for part, at, sentence in speech)
    fitting = (
        tuple(one for one in ways if abs(one.growth) <= room and one.lost <= losable) for ways in found
    )
    return tuple(filter(None, fitting))


def _bounds(item: str) -> tuple[int, int]:
    """How many words the item may grow or shrink by, and how many content words it may lose."""
    return n_words(item) // _GROWTH, content([item]).total() // _LOST


def _is_speech(part: Part) -> bool:
    return part.label == "thought" if part.step else part.label not in _SPARED


def _ways(sentence: Sentence, thought: bool) -> Iterator[str]:
    """Other ways to say a sentence: words replaced; of what is no thought, clauses traded, and both."""
    yield from substituted(sentence)
    if not thought:
        yield from opened(sentence)
        for moved in reordered(sentence):
            yield moved
            yield from substituted(Sentence(moved, mask_quotes(moved)))


def _variants(at: int, sentence: Sentence, ways: Iterator[str]) -> Iterator[_Variant]:
    """Those of the ways that change a word and turn nothing."""
    raw = sentence.raw
    for text in dict.fromkeys(ways):
        same = text.split() == raw.split() or len(cut(text)) != len(cut(raw))
        if not (same or n_flips(raw, text) or n_quotes_lost(raw, text)):
            lost = (content([raw]) - content([text])).total()
            yield _Variant(Edit(at, at + len(raw), text), n_words(text) - n_words(raw), lost)
