"""The steps of a raw trajectory in another order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.layout.step_order import Step, steps
from loadbearing.perturbations.layout.structure import parts
from loadbearing.perturbations.perturbation import Aim, Effect, Raw


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
    effect: Effect = "other"
    raw: Raw = "only"

    def __post_init__(self) -> None:
        """Raises ValueError for a dose that is no share, or does nothing."""
        if not 0 < self.dose <= 1:
            raise ValueError(f"dose must be in (0, 1], got {self.dose}; leave the kind out for no damage")

    @property
    def aim(self) -> Aim:
        """All words left, in steps that stand elsewhere."""
        moved = 1.0 if self.dose == 1 else self.dose / 2  # of few steps, a share cannot be exact
        return Aim(content_left=(1.0, 1.0), length=(1.0, 1.0), order=moved)

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        """Some item must be a trajectory with two different steps."""
        if slot.empty:
            return "the slot holds no item"
        if any(
            len({told[place] for place in places}) > 1
            for told in map(steps, slot.items)
            for places in _by_shape(told)
        ):
            return ""
        return "the slot holds no raw trajectory with two different steps that could trade places"

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        """The same steps at other places."""
        return Slot(slot.cue, tuple(self._shuffled(item, rng) for item in slot.items))

    def _shuffled(self, item: str, rng: Generator) -> str:
        told = steps(item)
        new = list(told)
        for places in _by_shape(told):
            moved = _drawn(places, told, max(2, round(self.dose * len(places))), rng)
            for place, taken in zip(moved, _traded(moved, told), strict=True):
                new[place] = told[taken]
        return _written(item, new)


def _by_shape(told: Sequence[Step]) -> list[list[int]]:
    """The places of the steps that bear the same labels."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, step in enumerate(told):
        groups[step.shape].append(place)
    return list(groups.values())


def _drawn(places: list[int], told: Sequence[Step], n: int, rng: Generator) -> list[int]:
    """`n` places at random, equal steps side by side. One of each kind of step is taken before a second of
    any, so that those taken can trade places."""
    alike: dict[Step, list[int]] = defaultdict(list)
    for i in rng.permutation(len(places)):
        alike[told[places[int(i)]]].append(places[int(i)])
    groups = list(alike.values())
    rounds = sorted(
        (turn, number, place) for number, group in enumerate(groups) for turn, place in enumerate(group)
    )
    taken = {place for *_, place in rounds[:n]}
    return [place for group in groups for place in group if place in taken]


def _traded(moved: list[int], told: Sequence[Step]) -> list[int]:
    """Which place each of these gets its step from: equal steps stand side by side, so that a turn by the
    size of their largest group leaves no step where an equal one was, if it can be done at all."""
    counts: dict[Step, int] = defaultdict(int)
    for place in moved:
        counts[told[place]] += 1
    turn = max(counts.values())
    return [moved[(i + turn) % len(moved)] for i in range(len(moved))]


def _written(item: str, told: Sequence[Step]) -> str:
    """The item with these steps; the blanks around a body belong to its place."""
    out: list[str] = []
    bodies = iter([body for step in told for body in step.bodies])
    for part in parts(item):
        out.append(part.head)
        if not part.step:
            out.append(part.body)
            continue
        fresh, old = next(bodies), part.body.strip()
        if old:
            low = part.body.index(old)
            out += [part.body[:low], fresh, part.body[low + len(old) :]]
        elif fresh:
            out += ["" if part.head[-1:].isspace() else " ", fresh, part.body]
        else:
            out.append(part.body)
    return "".join(out)
