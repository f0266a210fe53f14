"""Words without meaning in the place of the item's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.words import content_words
from memtrial.perturbations.aim import Aim, Declaration, Wording
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable, PieceDamage
from memtrial.perturbations.language import word_spans

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_LEFT = 0.05
_LATIN = read_section("filler.latin").split()
_SIGNS = [*"甲乙丙丁戊己庚辛壬癸"]  # the ten heavenly stems: signs that count and say nothing


@dataclass(frozen=True, slots=True)
class Filler:
    """Keep cue, headings, layout and the number of words; replace every word by neutral filler of its length.

    Cue names of a Trigger, the word of a Form and list numbers stay where they are few enough.
    """

    name: str = "filler"
    aim: Aim = Aim(
        content_left=(0.0, MOST_LEFT), wording=Wording(sentences=False), declared=Declaration("removal")
    )

    @property
    def pieces(self) -> PieceDamage:
        return PieceDamage(replace_words=make_filler)

    def apply(
        self,
        slot: Slot,
        rng: Generator,
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        if reason := word_spans.nothing_to_damage(slot):
            return NotApplicable(reason)
        keep_frame = word_spans.framed_share(slot) <= MOST_LEFT
        fill = make_filler(slot, rng)

        def change(word: word_spans.TextWord) -> str:
            return word.text if word.framed and keep_frame else fill(word)

        return Damaged(Slot(slot.cue, tuple(word_spans.reword(item, change) for item in slot.items)))


def make_filler(slot: Slot, rng: Generator) -> Callable[[word_spans.TextWord], str]:
    """A function from a word to the filler in its place; the slot holds none of the filler words."""
    there = word_spans.count_content(slot.items)
    latin = word_spans.of_same_length(_without_words(_LATIN, there) or [f"{stem}que" for stem in _LATIN], rng)
    signs = word_spans.of_same_length(_without_words(_SIGNS, there) or _SIGNS, rng)

    def fill(word: word_spans.TextWord) -> str:
        chosen = (signs if word.is_sign else latin)(word.text)
        return chosen.capitalize() if word.text[:1].isupper() else chosen

    return fill


def _without_words(pool: list[str], there: Counter[str]) -> list[str]:
    """The filler words whose stem the slot does not hold, so that filler never counts as content kept."""
    return [stem for stem in pool if not any(word in there for word in content_words(stem))]
