"""A user's perturbation: slot, rng and donor in; a slot or the items' new texts out."""

from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.words import nothing_to_damage
from loadbearing.perturbations.perturbation import Aim, Effect, Perturbation, Raw
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.adapter import Adapter, Expected
from loadbearing.runs.plugins.load import make, name_of, refuse_lacking

CHANGED = Aim(content_left=(0.0, 1.0), length=None, prose=False)
"""What is asked unless the object has an `aim`: some word changed; cue line, headings and items stay."""
DAMAGED = Expected(list[Slot | tuple[str, ...]], "a Slot or a list of texts")
REASON = Expected(list[str], "a text")


@dataclass(frozen=True, slots=True)
class OwnPerturbation:
    """A user's function from slot to slot, as a kind of damage.

    Raises:
        RunFault: from any call; it raised, or returned something else.
    """

    own: Adapter
    name: str
    aim: Aim
    effect: Effect = "other"
    raw: Raw = "no"

    def why_not(self, slot: Slot, donor: Slot) -> str:
        """Its own reason, or that no word could be damaged."""
        if getattr(self.own.thing, "why_not", None) is None:
            return nothing_to_damage(slot)
        where = f"why_not of perturbation {self.name}"
        return self.own.call(where, REASON, slot, donor, method="why_not")

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        """The damaged slot; texts alone keep the cue line."""
        made = self.own.call(f"perturbation {self.name}", DAMAGED, slot, rng, donor)
        return made if isinstance(made, Slot) else Slot(slot.cue, made)


def load_perturbation(source: str, seed: int = 0) -> Perturbation:
    """The perturbation that `path/to/module.py:Object` names; a SpecFault where it is none."""
    thing = make(source, {"seed": seed})
    refuse_lacking(thing, source, "a perturbation", ("__call__",))
    aim = getattr(thing, "aim", CHANGED)
    if not isinstance(aim, Aim):
        raise SpecFault(f"{source}: `aim` is an Aim of perturbations.perturbation; got {aim!r}")
    return OwnPerturbation(Adapter(thing, source), name_of(thing, source), aim)
