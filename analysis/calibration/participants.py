"""Participants of known faithfulness, as chances of success.

Every chance is a line in the task's own ease, and no line leaves [0, 1]: nothing is clipped, so the truth of
every contrast is exact. They calibrate the instrument and say nothing about any language model.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.planning.variance import Parts
from loadbearing.analysis.secondary.content_effect import IRRELEVANT, on_irrelevant
from loadbearing.outcomes.outcomes import Cell

MEMORY, CONTROL, DAMAGE = "memory", "control", "corrupt_invert"
INTACT: Cell = (MEMORY, "intact")
DAMAGED: Cell = (MEMORY, DAMAGE)
SWAPPED: Cell = (MEMORY, IRRELEVANT)
SWAPPED_DAMAGED: Cell = (MEMORY, on_irrelevant(DAMAGE))
CONTROL_INTACT: Cell = (CONTROL, "intact")
CONTROL_DAMAGED: Cell = (CONTROL, DAMAGE)


@dataclass(frozen=True, slots=True)
class Line:
    """Chance of success in a cell: `base + slope x ease`.

    Raises:
        ValueError: the line leaves [0, 1] for some ease in [0, 1].
    """

    base: float
    slope: float

    def __post_init__(self) -> None:
        ends = (self.base, self.base + self.slope)
        if not all(-1e-12 <= end <= 1 + 1e-12 for end in ends):
            raise ValueError(f"a chance lies in [0, 1] for every ease; got {ends[0]:g} to {ends[1]:g}")


OWN = Line(0.0, 1.0)
"""What the agent does without memory: its chance is the task's ease."""


def lifted(share: float) -> Line:
    """`share` of the failures turn into successes."""
    return Line(share, 1.0 - share)


def hindered(share: float) -> Line:
    """`share` of the successes turn into failures."""
    return Line(0.0, 1.0 - share)


def follows(uptake: float, right: float) -> Line:
    """Advice is followed with chance `uptake` and then right with chance `right`; else it does as without."""
    return Line(uptake * right, 1.0 - uptake)


@dataclass(frozen=True, slots=True)
class Ease:
    """How easy tasks are without memory: a Beta distribution, stretched over [low, high]."""

    a: float
    b: float
    low: float = 0.0
    high: float = 1.0

    @property
    def mean(self) -> float:
        """Mean ease."""
        return self.low + (self.high - self.low) * self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        """Variance of the ease between tasks."""
        total = self.a + self.b
        return (self.high - self.low) ** 2 * self.a * self.b / (total**2 * (total + 1))


def ease(mean: float, icc: float = 0.5) -> Ease:
    """Ease of mean `mean`, of which `icc` of a success's variance lies between tasks."""
    size = 1 / icc - 1
    return Ease(mean * size, (1 - mean) * size)


@dataclass(frozen=True, slots=True)
class Participant:
    """An agent whose chance of success is known in every cell.

    Args:
        name: its disposition.
        tasks: how easy the tasks are.
        kinds: chance by cell, one mapping for each kind of task; tasks are of each kind equally often. Cells
            that are not named are played as without memory.
        steps: sub-goals of a task; the score is the share that was reached. 1: success or failure.
        copies: chance that a later repeat copies the first one (a nearly deterministic decoder).
        record: tasks that share a source record; 1: none do.
        record_effect: by how much a record shifts the intact cell, up or down with even chance.
    """

    name: str
    tasks: Ease
    kinds: tuple[tuple[tuple[Cell, Line], ...], ...]
    steps: int = 1
    copies: float = 0.0
    record: int = 1
    record_effect: float = 0.0

    def line(self, kind: int, cell: Cell) -> Line:
        """The chance in a cell for one kind of task."""
        return dict(self.kinds[kind]).get(cell, OWN)


@dataclass(frozen=True, slots=True)
class Truth:
    """What a contrast of a participant really is.

    Args:
        effect: its mean over all tasks there could be, in points of score.
        parts: variance of the true contrast between tasks, and what one repeat adds.
        step: smallest step of one trial's contrast.

    Source: Miller 2024; STATISTICS section 4.
    """

    effect: float
    parts: Parts
    step: float


def truth(participant: Participant, weights: tuple[tuple[Cell, float], ...]) -> Truth:
    """The exact truth of a linear contrast, from the moments of the ease.

    Raises:
        ValueError: repeats that copy each other or records have no such simple variance.
    """
    if participant.copies or participant.record_effect:
        raise ValueError(f"{participant.name}: variance parts are known for independent repeats and tasks")
    mean, variance = participant.tasks.mean, participant.tasks.variance
    effects, between, within = [], [], []
    for kind in range(len(participant.kinds)):
        lines = [(weight, participant.line(kind, cell)) for cell, weight in weights]
        base = sum(weight * line.base for weight, line in lines)
        slope = sum(weight * line.slope for weight, line in lines)
        effects.append(base + slope * mean)
        between.append(slope**2 * variance)
        within.append(sum(weight**2 * _spread(line, mean, variance) for weight, line in lines))
    effect = sum(effects) / len(effects)
    apart = sum((one - effect) ** 2 for one in effects) / len(effects)
    tau2 = apart + sum(between) / len(between)
    step = min(abs(weight) for _, weight in weights) / participant.steps
    return Truth(effect, Parts(tau2, sum(within) / len(within) / participant.steps), step)


def _spread(line: Line, mean: float, variance: float) -> float:
    """Mean of p (1 - p) over tasks."""
    centre = line.base + line.slope * mean
    return centre - centre**2 - line.slope**2 * variance


def one_kind(name: str, mean: float, cells: dict[Cell, Line]) -> Participant:
    """A participant to whom all tasks are of one kind."""
    return Participant(name, ease(mean), (tuple(cells.items()),))
