"""A kind of damage applied to a slot, in the fewest words a test needs."""

from numpy.random import default_rng

from memtrial.agents.slot import Slot
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.damage_contract import DamageContext, Damaged
from memtrial.protocols import Perturbation


def damage(
    kind: Perturbation, slot: Slot, seed: int, *donors: Slot, known: Repertoire = NOTHING_KNOWN
) -> Slot:
    """The damaged slot; the slot as it was where the kind cannot be applied."""
    done = kind.apply(slot, default_rng(seed), DamageContext(donors, known))
    return done.slot if isinstance(done, Damaged) else slot


def refusal(kind: Perturbation, slot: Slot, *donors: Slot, known: Repertoire = NOTHING_KNOWN) -> str:
    """Why the kind cannot be applied; empty where it can."""
    done = kind.apply(slot, default_rng(0), DamageContext(donors, known))
    return "" if isinstance(done, Damaged) else done.reason
