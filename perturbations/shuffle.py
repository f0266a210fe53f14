"""The steps of a raw trajectory in another order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from memtrial.agents.slot import Slot
from memtrial.memory.language.sentences import Edit, apply
from memtrial.memory.language.structure import parts, place_parts
from memtrial.perturbations.aim import Aim, Declaration, Length, refuse_no_share
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Let the steps of each raw trajectory trade places; numbers, labels and every step's own text stay.

    Steps that bear the same labels trade with each other; a step unlike all others stays.

    Source: Shuffle in arXiv 2601.22436: the order of the steps is lost, and nothing else.

    Args:
        dose: share of the steps that move. At 1 none stays where another can take its place.
    """

    dose: float = 1.0
    name: str = "shuffle"

    def __post_init__(self) -> None:
        refuse_no_share(self.dose)

    @property
    def aim(self) -> Aim:
        moved = 1.0 if self.dose == 1 else self.dose / 2  # of few steps, a share cannot be exact
        return Aim((1.0, 1.0), Length(1.0, 1.0), steps_moved=moved, declared=Declaration(raw="only"))

    def apply(
        self,
        slot: Slot,
        rng: Generator,
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        if slot.empty:
            return NotApplicable("the slot holds no item")
        if not any(map(_can_move, slot.items)):
            return NotApplicable(
                "the slot holds no raw trajectory with two different steps that could trade places"
            )
        return Damaged(Slot(slot.cue, tuple(self._shuffle(item, rng) for item in slot.items)))

    def _shuffle(self, item: str, rng: Generator) -> str:
        raw_steps = steps(item)
        new = list(raw_steps)
        for places in _by_shape(raw_steps):
            moved = _draw_places(places, raw_steps, max(2, round(self.dose * len(places))), rng)
            # equal steps stand side by side: a turn by the size of their largest group leaves no step where
            # an equal one was, if it can be done at all
            turn = max(Counter(raw_steps[offset] for offset in moved).values())
            for i, place in enumerate(moved):
                new[place] = raw_steps[moved[(i + turn) % len(moved)]]
        return _write_steps(item, new)


class RawStep(NamedTuple):
    """One step of a raw trajectory.

    Args:
        shape: its labels. Only steps of one shape can trade places without their labels.
        bodies: the text behind each label, without the blanks around it.
    """

    shape: tuple[str, ...]
    bodies: tuple[str, ...]


def steps(item: str) -> tuple[RawStep, ...]:
    """The steps in order; none where the item is no trajectory."""
    of_steps = [part for part in parts(item) if part.step]
    grouped = ([*alike] for _, alike in groupby(of_steps, key=lambda part: part.step))
    return tuple(
        RawStep(tuple(part.label for part in of_step), tuple(part.body.strip() for part in of_step))
        for of_step in grouped
    )


def same_steps(before: str, after: str) -> bool:
    """Whether the same steps stand there, in whatever order."""
    return Counter(steps(before)) == Counter(steps(after))


def order_changed(before: Slot, after: Slot) -> float:
    """Share of the steps in whose place another step of the same trajectory stands; 0.0 without steps."""
    n_steps = n_moved = 0
    for item, other in zip(before.items, after.items, strict=False):
        old, new = steps(item), steps(other)
        known = set(old)
        n_steps += len(old)
        n_moved += sum(
            new_step != step and new_step in known for step, new_step in zip(old, new, strict=False)
        )
    return n_moved / n_steps if n_steps else 0.0


def most_changed(slot: Slot) -> float:
    """The largest `order_changed` that trading places can reach: equal steps, and steps of a shape of their
    own, may have nowhere to go."""
    n_steps = reached = 0
    for raw_steps in map(steps, slot.items):
        n_steps += len(raw_steps)
        for places in _by_shape(raw_steps):
            largest = max(Counter(raw_steps[offset] for offset in places).values())
            reached += min(len(places), 2 * (len(places) - largest))
    return reached / max(1, n_steps)


def _can_move(item: str) -> bool:
    """Whether two different steps of one shape stand in it."""
    trajectory = steps(item)
    return any(len({trajectory[place] for place in places}) > 1 for places in _by_shape(trajectory))


def _by_shape(raw_steps: Sequence[RawStep]) -> list[list[int]]:
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, step in enumerate(raw_steps):
        groups[step.shape].append(place)
    return list(groups.values())


def _draw_places(places: list[int], raw_steps: Sequence[RawStep], n: int, rng: Generator) -> list[int]:
    """`n` places at random, equal steps side by side. One of each kind of step is taken before a second of
    any, so that those taken can trade places."""
    alike: dict[RawStep, list[int]] = defaultdict(list)
    for i in rng.permutation(len(places)):
        alike[raw_steps[places[int(i)]]].append(places[int(i)])
    rounds = [place for turn in zip_longest(*alike.values()) for place in turn if place is not None]
    taken = set(rounds[:n])
    return [place for group in alike.values() for place in group if place in taken]


def _write_steps(item: str, raw_steps: Sequence[RawStep]) -> str:
    edits: list[Edit] = []
    bodies = iter([body for step in raw_steps for body in step.bodies])
    for part, offset in place_parts(item):
        if part.step:
            fresh, old = next(bodies), part.body.strip()
            low = offset + part.body.index(old)
            blank = " " * (fresh != "" and old == "" and not part.head[-1:].isspace())
            edits.append(Edit(low, low + len(old), blank + fresh))
    return apply(item, edits)
