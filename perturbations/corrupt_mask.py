"""The words that say what to do are masked; all others stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.perturbations.advice.advice_words import advice_keys, word_key
from memtrial.perturbations.aim import Aim, Declaration, Wording, refuse_no_share
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable, PieceDamage
from memtrial.perturbations.language import word_spans

if TYPE_CHECKING:
    from numpy.random import Generator

_SIGN = "囗"
_SIZES = (1, 4, 6)  # three and no more: a mark as long as its word would tell a yes from a no
_LETTERS = "XZQWKJ"


@dataclass(frozen=True, slots=True)
class CorruptMask:
    """Replace the content words of the advice by marks such as `[XXXX]`, one for one, in all places.

    A word of the advice is masked wherever it stands, for a word that stands ten times would give itself away
    in the places left over. Function words, and words that stand outside the advice alone, are never masked.

    Source: the masking kind of Corrupt in arXiv 2601.22436, Table 3.

    Args:
        dose: share of the advice's content words, by stem, that are masked; at least one.
    """

    dose: float = 1.0
    name: str = "corrupt_mask"

    def __post_init__(self) -> None:
        refuse_no_share(self.dose)

    @property
    def aim(self) -> Aim:
        marks = Wording(sentences=False)
        return Aim(advice_hidden=self.dose, wording=marks, declared=Declaration("meaning"))

    @property
    def pieces(self) -> PieceDamage:
        return PieceDamage(replace_words=make_mask)

    def apply(
        self,
        slot: Slot,
        rng: Generator,
        context: DamageContext,
    ) -> Damaged | NotApplicable:
        # what a model masks is all of the advice
        if self.dose == 1 and (written := context.find_written(self.name, slot)):
            return written
        if reason := word_spans.nothing_to_damage(slot):
            return NotApplicable(reason)
        keys = sorted(frozenset[str]().union(*map(advice_keys, slot.items)))
        if not keys:
            return NotApplicable("no item says what to do in a content word")
        drawn = [keys[int(place)] for place in rng.permutation(len(keys))]
        hidden = frozenset(drawn[: max(1, round(self.dose * len(keys)))])
        mask = make_marks(slot, rng)

        def change(word: word_spans.TextWord) -> str:
            return word.text if word.framed or word_key(word) not in hidden else mask(word)

        return Damaged(Slot(slot.cue, tuple(word_spans.reword(item, change) for item in slot.items)))


def make_mask(slot: Slot, rng: Generator) -> Callable[[word_spans.TextWord], str]:
    """A function from a word to what stands in its place: a mark, for a word that carries content."""
    mark = make_marks(slot, rng)
    return lambda word: mark(word) if word.stem else word.text


def make_marks(slot: Slot, rng: Generator) -> Callable[[word_spans.TextWord], str]:
    """A function from a word to its mark; all marks together are as long as their words."""
    there = word_spans.count_content(slot.items)
    letter = next((sign for sign in _LETTERS if sign.lower() not in there), _LETTERS[0])  # "put X into Y"
    mark = word_spans.of_same_length([f"[{letter * size}]" for size in _SIZES], rng)
    return lambda word: _SIGN if word.is_sign else mark(word.text)
