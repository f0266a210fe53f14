"""One thing done to a slot after another: `first+second`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.instructed import Instructed
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.perturbations.oddity import ODD, ODDITY, Oddity
from memtrial.perturbations.perturbation import Aim
from memtrial.protocols import Perturbation

JOINT = "+"


@dataclass(frozen=True, slots=True)
class Composite:
    """The second kind done to what the first one gives: `instructed+K` damages items that are to be followed.

    What is done is judged by the second kind alone, from the slot after the first to the slot after both: so
    `carried_out` is what plays it, and hands over the slot in between.

    Source: STATISTICS 0c.6.
    """

    first: Perturbation
    second: Perturbation

    @property
    def name(self) -> str:
        return f"{self.first.name}{JOINT}{self.second.name}"

    @property
    def aim(self) -> Aim:
        return self.second.aim

    def why_not(self, slot: Slot, donor: Slot) -> str:
        """Why not the first. Whether the second can be done shows only on what the first gives."""
        return self.first.why_not(slot, donor)

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        return self.second(self.first(slot, rng, donor), rng, donor)


@dataclass(frozen=True, slots=True)
class Done:
    """What was done to one slot.

    Args:
        kind: the kind that the manipulation check asks about.
        before: what it was done to.
        after: what came of it; None where it could not be done.
        why_not: then the reason.
    """

    kind: Perturbation
    before: Slot
    after: Slot | None
    why_not: str = ""


def composed(name: str, kinds: Iterable[Perturbation]) -> Composite | Oddity:
    """The condition of this name: `instructed+K`, or the oddity placebo `oddity+K`.

    Raises:
        ValueError: it is neither, or K is no kind that this can be done to.
    """
    first, _, second = name.partition(JOINT)
    shipped = {kind.name: kind for kind in kinds}
    blocks = [of for of, kind in shipped.items() if kind.aim.block and not kind.aim.instructs]
    fit = {
        ODDITY: [of for of in ODD if of in shipped],
        Instructed().name: [of for of in blocks if shipped[of].aim.raw != "only"],
    }
    if first not in fit or second not in fit[first]:
        either = " or ".join(f"{one}{JOINT}KIND with {', '.join(of)}" for one, of in fit.items())
        raise ValueError(f"a condition of two parts is {either}; got {name!r}")
    return Oddity(shipped[second]) if first == ODDITY else Composite(Instructed(), shipped[second])


def knowing(kind: Perturbation, known: Repertoire) -> Perturbation:
    """The kind, told what the world accepts where a part of it asks for that."""
    if isinstance(kind, Composite):
        return replace(kind, second=knowing(kind.second, known))
    return replace(kind, known=known) if isinstance(kind, Counter) else kind


def carried_out(
    kind: Perturbation, slot: Slot, donors: Sequence[Slot], rng: Callable[[Perturbation], Generator]
) -> Done:
    """Do it, each part with the first donor that will do for it.

    Each part draws as it would alone: K does under an instruction what it does without. A swap chooses
    among all donors.

    Args:
        donors: in the order in which they are asked.
        rng: the stream of one part.
    """
    if isinstance(kind, IrrelevantSwap) and donors:
        kind, donors = replace(kind, donors=tuple(donors)), donors[:1]
    if isinstance(kind, Composite):
        done = carried_out(kind.first, slot, donors, rng)
        if done.after is None:
            return done
        second = carried_out(kind.second, done.after, donors, rng)
        return replace(second, why_not=second.why_not and f"after {kind.first.name}: {second.why_not}")
    reasons = []
    for donor in donors:
        reasons.append(kind.why_not(slot, donor))
        if not reasons[-1]:
            return Done(kind, slot, kind(slot, rng(kind), donor))
    return Done(kind, slot, None, reasons[0] if reasons else "there is no donor")
