"""Two kinds applied to a slot, one after the other: `first+second`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.perturbations.aim import Aim
from memtrial.perturbations.damage_contract import ODDITY, DamageContext, Damaged, NotApplicable
from memtrial.perturbations.instructed import Instructed
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.irrelevant.swap_placebo import SwapPlacebo
from memtrial.perturbations.oddity_placebo import ODD, Oddity
from memtrial.protocols import Perturbation

if TYPE_CHECKING:
    from numpy.random import Generator

JOINT = "+"


@dataclass(frozen=True, slots=True)
class Composite:
    """Apply the second kind to the result of the first: `instructed+K` damages items that are to be followed.

    What is done is judged by the second kind alone, from the slot after the first to the slot after both. The
    first draws nothing, so that the second draws what it would draw alone.

    Source: STATISTICS 0c.6.
    """

    first: Perturbation
    second: Perturbation

    @property
    def name(self) -> str:
        return f"{self.first.name}{JOINT}{self.second.name}"

    @property
    def aim(self) -> Aim:
        aim = self.second.aim
        return replace(aim, declared=replace(aim.declared, part=self.second.name))

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        """Apply the second to the result of the first, which alone tells whether the second applies."""
        between = self.first.apply(slot, rng, context)
        if isinstance(between, NotApplicable):
            return between
        done = self.second.apply(between.slot, rng, context)
        if isinstance(done, NotApplicable):
            return NotApplicable(f"after {self.first.name}: {done.reason}")
        return Damaged(done.slot, before=done.before or between.slot)


def compose(name: str, kinds: Iterable[Perturbation]) -> Composite | Oddity | SwapPlacebo:
    """The condition of this name: `instructed+K`, or the oddity placebo `oddity+K`.

    Raises:
        ValueError: it is neither, or K is no kind that this can be done to.
    """
    first, _, second = name.partition(JOINT)
    shipped = {kind.name: kind for kind in kinds}
    odd: dict[str, Oddity | SwapPlacebo] = {kind.name: Oddity(kind) for kind in ODD if kind.name in shipped}
    if IrrelevantSwap().name in shipped:
        odd[IrrelevantSwap().name] = SwapPlacebo()
    damaging = [kind for kind in shipped.values() if kind.aim.block == "damaged"]
    fit = {
        ODDITY: list(odd),
        Instructed().name: [kind.name for kind in damaging if kind.aim.declared.raw != "only"],
    }
    if first not in fit or second not in fit[first]:
        either = " or ".join(f"{part}{JOINT}KIND with {', '.join(fitting)}" for part, fitting in fit.items())
        raise ValueError(f"a condition of two parts is {either}; got {name!r}")
    return odd[second] if first == ODDITY else Composite(Instructed(), shipped[second])
