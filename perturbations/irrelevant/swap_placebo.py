"""The oddity placebo of foreign memory: the item stands, and the foreign text stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.memory.language.sentences import Edit, apply
from memtrial.memory.language.structure import HeadedPart, parts, place_parts
from memtrial.perturbations.advice.advice_spans import advice_spans
from memtrial.perturbations.aim import Aim, Declaration, Length, Verbatim, Wording
from memtrial.perturbations.damage_contract import ODDITY, DamageContext, Damaged, NotApplicable
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.irrelevant.odd_addition import joint_behind

if TYPE_CHECKING:
    from numpy.random import Generator

_SWAP = IrrelevantSwap()
_CUES = ("title", "trigger", "form")  # they are no sentences, and say when the item itself counts
_LEAST_LENGTH, _MOST_LENGTH = 1.0, 2.2


@dataclass(frozen=True, slots=True)
class SwapPlacebo:
    """Keep every item verbatim, and put behind each of its texts the one that `irrelevant_swap` shows there.

    Both draw the same foreign items. A Title, a Trigger and a Form stay as they are. It costs a reader of the
    content nothing, for the signs and actions of the foreign text are not at hand; one that is startled by
    such text is startled here, too.

    Source: STATISTICS 0d.1.
    """

    name: str = f"{ODDITY}+{_SWAP.name}"
    aim: Aim = Aim(
        length=Length(_LEAST_LENGTH, _MOST_LENGTH, unit="slot"),
        verbatim=Verbatim(quotes=True, spans=advice_spans),
        wording=Wording(sentences=False),
        declared=Declaration("wording", draws_as=_SWAP.name),
    )

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        if any(part.step for item in slot.items for part in parts(item)):
            return NotApplicable("a trajectory has no advice that foreign text could stand beside")
        swapped = _SWAP.apply(slot, rng, context)
        if isinstance(swapped, NotApplicable):
            return swapped
        items = tuple(map(_put_beside, slot.items, swapped.slot.items))
        if any(first == second for first, second in zip(slot.items, items, strict=True)):
            return NotApplicable("an item has no text beside which foreign text could stand")
        return Damaged(Slot(slot.cue, items))


def _put_beside(item: str, foreign: str) -> str:
    """Each text of the item with the foreign one under the same heading behind it."""
    placed, other = tuple(place_parts(item)), parts(foreign)
    edits = (
        _put_behind(part, place, theirs.body.strip())
        for (part, place), theirs in zip(placed, other, strict=True)
        if part.label not in _CUES and part.body.strip() and theirs.body.strip()
    )
    return apply(item, edits)


def _put_behind(part: HeadedPart, place: int, text: str) -> Edit:
    end = place + len(part.body.rstrip())
    return Edit(end, end, joint_behind(part) + text)
