"""No memory block at all."""

from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.perturbations.perturbation import Aim


@dataclass(frozen=True, slots=True)
class Without:
    """Take the whole block away, cue line and all: the reference for the utility of memory."""

    name: str = "without"
    aim: Aim = Aim(content_left=(0.0, 0.0), length=None, block=False, effect="removal")

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        return "" if slot.text else "the slot is already empty"

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        return NOTHING
