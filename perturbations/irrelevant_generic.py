"""General platitudes in the frame of this memory."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.platitudes import sayable, speaker
from loadbearing.perturbations.language.words import content, framed_share, nothing_to_damage
from loadbearing.perturbations.layout.body_text import MOST_FRAMED, replaced, unspaced
from loadbearing.perturbations.layout.structure import parts
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

MOST_LEFT = 0.30


@dataclass(frozen=True, slots=True)
class IrrelevantGeneric:
    """Keep cue, headings, layout and the number of words; say what is true of everything.

    Source: the generic kind of Irrelevant in arXiv 2601.22436, Table 3.
    """

    name: str = "irrelevant_generic"
    effect: Effect = "other"
    raw: Raw = "no"

    @property
    def aim(self) -> Aim:
        """At most 30 % of the content words left."""
        return Aim(content_left=(0.0, MOST_LEFT))

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        """There must be content to replace, and something to say that is not there already."""
        if reason := nothing_to_damage(slot):
            return reason
        if unspaced(slot):
            return "the items are written in a script without spaces, whose length cannot be matched"
        return "" if all(sayable(content(slot.items))) else "the items are made of general sentences already"

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        """The same shape, filled with general sentences, none of them twice."""
        kinds = sayable(content(slot.items))
        if not all(kinds):
            return slot
        say = speaker(kinds, rng)
        keep_frame = framed_share(slot) <= MOST_FRAMED
        items = (
            "".join(replaced(part, lambda _, n: say(n), keep_frame) for part in parts(item))
            for item in slot.items
        )
        return Slot(slot.cue, tuple(items))
