"""Words without meaning in the place of the item's words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.memory.words import content_words
from loadbearing.perturbations.language.words import Word, content, framed_share, nothing_to_damage, reworded
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

MOST_LEFT = 0.05
_LATIN_WORDS = """
    lorem ipsum dolor amet consectetur adipiscing elit tempor incididunt labore dolore magna aliqua enim
    veniam quis nostrud ullamco laboris nisi aliquip commodo consequat duis aute irure voluptate velit
    esse cillum fugiat nulla pariatur excepteur sint occaecat cupidatat proident sunt culpa officia
    deserunt mollit anim laborum viverra faucibus egestas pharetra tristique senectus netus malesuada
    fames turpis vestibulum mattis ullamcorper sodales rhoncus pellentesque habitant morbi iaculis
    lacinia sagittis fringilla
"""
_LATIN = _LATIN_WORDS.split()
_SIGNS = [*"甲乙丙丁戊己庚辛壬癸"]  # the ten heavenly stems: signs that count and say nothing


@dataclass(frozen=True, slots=True)
class Filler:
    """Keep cue, headings, layout and the number of words; replace every word by neutral filler.

    Cue names of a Trigger, the word of a Form and list numbers stay where they are few enough.
    """

    name: str = "filler"
    effect: Effect = "removal"
    raw: Raw = "no"
    aim: Aim = Aim(content_left=(0.0, MOST_LEFT))

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        return nothing_to_damage(slot)

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        there = content(slot.items)
        latin = _absent(_LATIN, there) or [f"{one}que" for one in _LATIN]
        signs = _absent(_SIGNS, there) or _SIGNS
        keep_frame = framed_share(slot) <= MOST_LEFT

        def fill(word: Word) -> str:
            if word.framed and keep_frame:
                return word.text
            pool = signs if word.is_sign else latin
            chosen = pool[int(rng.integers(len(pool)))]
            return chosen.capitalize() if word.text[:1].isupper() else chosen

        return Slot(slot.cue, tuple(reworded(item, fill) for item in slot.items))


def _absent(pool: list[str], there: Counter[str]) -> list[str]:
    """The filler words whose stem the slot does not hold, so that filler never counts as content kept."""
    return [one for one in pool if not any(word in there for word in content_words(one))]
