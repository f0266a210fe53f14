"""The steps of raw trajectories, and how many of them stand at another place than before."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.layout.structure import Part, parts


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a raw trajectory.

    Args:
        shape: its labels. Only steps of one shape can trade places without their labels.
        bodies: the text behind each label, without the blanks around it.
    """

    shape: tuple[str, ...]
    bodies: tuple[str, ...]


def steps(item: str) -> tuple[Step, ...]:
    """The steps in order; none where the item is no trajectory."""
    found: dict[int, list[Part]] = defaultdict(list)
    for part in parts(item):
        if part.step:
            found[part.step].append(part)
    return tuple(
        Step(tuple(part.label for part in one), tuple(part.body.strip() for part in one))
        for one in found.values()
    )


def same_steps(before: str, after: str) -> bool:
    """Whether the same steps stand there, in whatever order."""
    return Counter(steps(before)) == Counter(steps(after))


def order_changed(before: Slot, after: Slot) -> float:
    """Share of the steps in whose place another step of the same trajectory stands; 0.0 without steps."""
    n_steps = n_moved = 0
    for one, other in zip(before.items, after.items, strict=False):
        old, new = steps(one), steps(other)
        known = set(old)
        n_steps += len(old)
        n_moved += sum(new[i] != old[i] and new[i] in known for i in range(min(len(old), len(new))))
    return n_moved / n_steps if n_steps else 0.0


def most_changed(slot: Slot) -> float:
    """The largest `order_changed` that trading places can reach: equal steps, and steps of a shape of their
    own, may have nowhere to go."""
    all_steps = [steps(item) for item in slot.items]
    reached = 0
    for one in all_steps:
        by_shape: dict[tuple[str, ...], Counter[Step]] = defaultdict(Counter)
        for step in one:
            by_shape[step.shape][step] += 1
        for counts in by_shape.values():
            n = counts.total()
            reached += min(n, 2 * (n - max(counts.values())))
    return reached / max(1, len(list(chain.from_iterable(all_steps))))
