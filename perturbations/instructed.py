"""The arm's own items, and the plain instruction to follow them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.perturbations.aim import Aim, Length
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.prompts.templates import Prompt

if TYPE_CHECKING:
    from numpy.random import Generator

INSTRUCTION = Prompt("instructed")


@dataclass(frozen=True, slots=True)
class Instructed:
    """Keep every item verbatim; say behind the cue line that they are to be followed.

    This is no damage. Where items have no effect even under the instruction, nothing in them is usable; where
    they have one only under it, they were not activated before. It stands in the cue line, so that it enters
    with the items however they are injected.

    Source: STATISTICS 0c.6, after arXiv 2601.22436, sections 5.1 and 5.2.
    """

    name: str = "instructed"
    aim: Aim = Aim(content_left=(1.0, 1.0), length=Length(1.0, 1.0), block="instructed")

    def apply(
        self,
        slot: Slot,
        rng: Generator,  # noqa: ARG002
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        if slot.empty:
            return NotApplicable("the slot holds no item")
        cue = " ".join(filter(None, (slot.cue, INSTRUCTION.render())))
        return Damaged(Slot(cue, slot.items))
