"""A perturbation of one's own: slot, rng and donor in; a slot or the items' new texts out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.words import nothing_to_damage
from loadbearing.perturbations.perturbation import Aim, Effect, Perturbation, Raw
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.plugins.load import Border, half_sign, make, name_of, refuse_lacking

CHANGED = Aim(content_left=(0.0, 1.0), length=None)
"""What is asked unless the object has an `aim`: some word changed; cue line, headings and items stay."""


@dataclass(frozen=True, slots=True)
class OwnPerturbation:
    """Somebody's function from slot to slot, as a kind of damage.

    Args:
        thing: what was loaded; called with the slot, the random generator and the donor.
        source: its `path/to/module.py:Object`.
    """

    thing: Any
    source: str
    name: str
    aim: Aim
    effect: Effect = "other"
    raw: Raw = "no"

    def why_not(self, slot: Slot, donor: Slot) -> str:
        """Its own reason, or that no word could be damaged.

        Raises:
            RunFault: it raised, or its reason is no text.
        """
        own = getattr(self.thing, "why_not", None)
        if own is None:
            return nothing_to_damage(slot)
        with Border(f"why_not of perturbation {self.name}", RunFault, self.source):
            reason = own(slot, donor)
        if not isinstance(reason, str):
            raise RunFault(f"why_not of perturbation {self.name} returned {reason!r}; a text is needed")
        return reason

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        """The damaged slot; texts alone keep the cue line.

        Raises:
            RunFault: it raised, or returned something else.
        """
        with Border(f"perturbation {self.name}", RunFault, self.source):
            made = self.thing(slot, rng, donor)
        texts = made.items if isinstance(made, Slot) else made
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            what = type(made).__name__
            raise RunFault(f"perturbation {self.name} returned {what}; a Slot or a list of texts is needed")
        after = Slot(made.cue if isinstance(made, Slot) else slot.cue, tuple(texts))
        if why := half_sign(after.cue, *after.items):
            raise RunFault(f"perturbation {self.name} returned {why}")
        return after


def load_perturbation(source: str, seed: int = 0) -> Perturbation:
    """The perturbation that a name stands for.

    Raises:
        SpecFault: it cannot be loaded, cannot be called, or its aim is none.
    """
    thing = make(source, {"seed": seed})
    refuse_lacking(thing, source, "a perturbation", ("__call__",))
    with Border(f"reading the aim of {source}", SpecFault, source):
        aim = getattr(thing, "aim", CHANGED)
    if not isinstance(aim, Aim):
        raise SpecFault(f"{source}: `aim` is an Aim of perturbations.perturbation; got {aim!r}")
    return OwnPerturbation(thing, source, name_of(thing, source), aim)
