"""The block's frame without its content."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.words import nothing_to_damage
from loadbearing.perturbations.layout.structure import parts
from loadbearing.perturbations.perturbation import Aim, Effect, Raw


@dataclass(frozen=True, slots=True)
class Empty:
    """Keep the cue line and the headings; leave no word under them."""

    name: str = "empty"
    effect: Effect = "removal"
    raw: Raw = "also"

    @property
    def aim(self) -> Aim:
        """No content word left; the length is gone on purpose."""
        return Aim(content_left=(0.0, 0.0), length=None)

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        """There must be a content word to remove."""
        return nothing_to_damage(slot)

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        """The headings alone, a line each."""
        bare = ("\n".join(part.head.strip() for part in parts(item) if part.head) for item in slot.items)
        return Slot(slot.cue, tuple(bare))
