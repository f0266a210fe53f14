"""The two kinds that take memory away: its content out of its frame, or the whole block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.structure import parts
from memtrial.perturbations.aim import Aim, Declaration
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.language.word_spans import nothing_to_damage

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class Empty:
    """Keep the cue line and the headings, a line each; leave no word under them."""

    name: str = "empty"
    # the length is gone on purpose
    aim: Aim = Aim(content_left=(0.0, 0.0), length=None, declared=Declaration("removal", raw="also"))

    def apply(
        self,
        slot: Slot,
        rng: Generator,  # noqa: ARG002
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        if reason := nothing_to_damage(slot):
            return NotApplicable(reason)
        return Damaged(Slot(slot.cue, tuple(map(_keep_heads, slot.items))))


def _keep_heads(item: str) -> str:
    """The heads alone: a line each, or as they stand where the fields are marked in another way."""
    cut = parts(item)
    if any(part.layout for part in cut):
        return "".join(part.head for part in cut)
    return "\n".join(part.head.strip() for part in cut if part.head)


@dataclass(frozen=True, slots=True)
class Without:
    """Take the whole block away, cue line and all: the reference for the utility of memory."""

    name: str = "without"
    aim: Aim = Aim((0.0, 0.0), length=None, block="removed", declared=Declaration("removal"))

    def apply(
        self,
        slot: Slot,
        rng: Generator,  # noqa: ARG002
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        return Damaged(NOTHING) if slot.text else NotApplicable("the slot is already empty")
