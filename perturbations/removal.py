"""The two kinds that take memory away: its content out of its frame, or the whole block."""

from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.memory.language.structure import parts
from loadbearing.perturbations.language.words import nothing_to_damage
from loadbearing.perturbations.perturbation import Aim


@dataclass(frozen=True, slots=True)
class Empty:
    """Keep the cue line and the headings, a line each; leave no word under them."""

    name: str = "empty"
    # the length is gone on purpose
    aim: Aim = Aim(content_left=(0.0, 0.0), length=None, effect="removal", raw="also")

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        return nothing_to_damage(slot)

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        bare = ("\n".join(part.head.strip() for part in parts(item) if part.head) for item in slot.items)
        return Slot(slot.cue, tuple(bare))


@dataclass(frozen=True, slots=True)
class Without:
    """Take the whole block away, cue line and all: the reference for the utility of memory."""

    name: str = "without"
    aim: Aim = Aim(content_left=(0.0, 0.0), length=None, block=False, effect="removal")

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        return "" if slot.text else "the slot is already empty"

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        return NOTHING
