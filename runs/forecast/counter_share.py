"""To how many slots of each arm `counter` applies, as far as they are written before anything is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtrial.agents.slot import Slot
from memtrial.ledger.random_streams import fixed_generator
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.composite import JOINT
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.damage_contract import DamageContext, Damaged
from memtrial.runs.forecast.first_requests import ArmRendering
from memtrial.runs.spec.damage_writers import damage_writers
from memtrial.runs.trials.slot_damage import repertoire_of


@dataclass(frozen=True, slots=True)
class CounterShare:
    """Of one arm, to how many of a few slots the rules' `counter` applies; `slots` is 0 where none is known.

    Args:
        by_model: a model is to write it, and how often that succeeds is not known.
    """

    arm: str
    applies: int
    slots: int
    by_model: bool


def share_counters(rendering: ArmRendering) -> tuple[CounterShare, ...]:
    """By arm that is damaged so, in the order of the design; empty where none is."""
    design, name = rendering.experiment.design, Counter().name
    by_model = damage_writers(rendering.experiment.spec).model is not None
    arms = [
        arm for arm in design.arms if any(name in kind.name.split(JOINT) for kind in design.damages[arm.name])
    ]
    slots = {
        arm.name: () if by_model else [slot for slot in rendering.slots(arm) or () if not slot.blank]
        for arm in arms
    }
    known = Repertoire((), ())
    if any(slots.values()):
        known = repertoire_of(rendering.world, tuple(task for task, _ in rendering.begun))
    return tuple(
        CounterShare(arm, _count_applicable(some, known), len(some), by_model) for arm, some in slots.items()
    )


def _count_applicable(slots: Sequence[Slot], known: Repertoire) -> int:
    """Of these slots, each with the others as its donors."""
    done = (
        Counter().apply(
            slot, fixed_generator(), DamageContext(tuple(other for other in slots if other != slot), known)
        )
        for slot in slots
    )
    return sum(isinstance(answer, Damaged) for answer in done)


def counter_lines(shares: Sequence[CounterShare]) -> Iterator[str]:
    """A sentence on the arms that are known, and one on the others."""
    told = [f"{share.applies} of {share.slots} slots of {share.arm}" for share in shares if share.slots]
    if told:
        yield f"counter by rules applies, in the tasks looked at, to {', '.join(told)}."
    if unknown := [share.arm for share in shares if not share.slots]:
        when = "a model has written it" if shares[0].by_model else "their memory is made"
        arms = ", ".join(unknown)
        yield f"To how many slots of {arms} counter applies is known once {when} (memtrial lock)."
