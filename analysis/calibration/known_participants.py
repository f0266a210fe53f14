"""Participants of known faithfulness, as chances of success, and the contrasts they are tried on.

Every chance is a line in the task's own ease, and no line leaves [0, 1]: nothing is clipped, so the truth of
every contrast is exact. They calibrate the instrument and say nothing about any language model.
"""

from dataclasses import dataclass, replace

from memtrial.analysis.estimands.contrast import drop, drops_apart, oddity_of, utility
from memtrial.analysis.planning.variance import Parts
from memtrial.outcomes.outcomes import Cell

MEMORY, CONTROL, DAMAGE = "memory", "control", "corrupt_invert"
INTACT: Cell = (MEMORY, "intact")
DAMAGED: Cell = (MEMORY, DAMAGE)
SWAP, ODD = "irrelevant_swap", oddity_of(DAMAGE)
SWAPPED: Cell = (MEMORY, SWAP)
CONTROL_INTACT: Cell = (CONTROL, "intact")

DROP, UTILITY = drop(MEMORY, DAMAGE), utility(MEMORY)
APART = drops_apart(MEMORY, CONTROL, DAMAGE)
FAMILY = tuple(drop(arm, damage) for arm in (CONTROL, MEMORY) for damage in (DAMAGE, SWAP, "counter"))
"""Six drops; those of an arm share its intact cell. The control's come first."""
ARMS = ("first", "second", "third", "fourth")
DROPS = tuple(drop(arm, damage) for arm in ARMS[:3] for damage in (DAMAGE, SWAP, "counter"))
"""Nine drops of three arms."""
UTILITIES = tuple(utility(arm) for arm in ARMS)
"""Four utilities, which share the cell without memory."""
ALIKE = tuple(drop(MEMORY, f"damage {number}") for number in range(6))
"""Six drops of one arm."""


@dataclass(frozen=True, slots=True)
class Line:
    """Chance of success in a cell: `base + slope x ease`; within [0, 1] for every ease."""

    base: float
    slope: float

    def __post_init__(self) -> None:
        ends = (self.base, self.base + self.slope)
        if not all(-1e-12 <= end <= 1 + 1e-12 for end in ends):
            raise ValueError(f"a chance lies in [0, 1] for every ease; got {ends[0]:g} to {ends[1]:g}")


OWN = Line(0.0, 1.0)
"""What the agent does without memory: its chance is the task's ease."""


def lift_failures(share: float) -> Line:
    """`share` of the failures turn into successes."""
    return Line(share, 1.0 - share)


def hinder_successes(share: float) -> Line:
    """`share` of the successes turn into failures."""
    return Line(0.0, 1.0 - share)


def follows(uptake: float, right: float) -> Line:
    """Advice is followed with chance `uptake` and then right with chance `right`; else it does as without."""
    return Line(uptake * right, 1.0 - uptake)


@dataclass(frozen=True, slots=True)
class Ease:
    """How easy tasks are without memory: Beta(a, b), stretched over [low, high]."""

    a: float
    b: float
    low: float = 0.0
    high: float = 1.0

    @property
    def mean(self) -> float:
        return self.low + (self.high - self.low) * self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        total = self.a + self.b
        return (self.high - self.low) ** 2 * self.a * self.b / (total**2 * (total + 1))


def ease(mean: float, icc: float = 0.5) -> Ease:
    """Ease of mean `mean`, of which `icc` of a success's variance lies between tasks."""
    size = 1 / icc - 1
    return Ease(mean * size, (1 - mean) * size)


@dataclass(frozen=True, slots=True)
class KnownParticipant:
    """An agent whose chance of success is known in every cell.

    Args:
        kinds: chance by cell, one mapping for each kind of task; tasks are of each kind equally often. Cells
            that are not named are played as without memory.
        steps: sub-goals of a task; the score is the share that was reached. 1: success or failure.
        copies: chance that a later repeat copies the first one (a nearly deterministic decoder).
        records: tasks that share a source record, of one record after another, and again from the first.
        record_effect: by how much a record shifts the intact cell, up or down with even chance.
        acts: chance by cell that it does what the intact item advises; empty where none is known to advise.
        others: the same of what `counter` advises in its place.
        obeys: chance by cell that it does, or leaves, what the intact item says; empty: as `acts`.
        garbled: share by cell of its failures that are lost to replies which cannot be read; none elsewhere.
    """

    name: str
    tasks: Ease
    kinds: tuple[tuple[tuple[Cell, Line], ...], ...]
    steps: int = 1
    copies: float = 0.0
    records: tuple[int, ...] = (1,)
    record_effect: float = 0.0
    acts: tuple[tuple[Cell, float], ...] = ()
    others: tuple[tuple[Cell, float], ...] = ()
    obeys: tuple[tuple[Cell, float], ...] = ()
    garbled: tuple[tuple[Cell, float], ...] = ()

    def line(self, kind: int, cell: Cell) -> Line:
        return dict(self.kinds[kind]).get(cell, OWN)


@dataclass(frozen=True, slots=True)
class TrueContrast:
    """What a contrast of a participant really is: its mean over all possible tasks, and its variance."""

    effect: float
    parts: Parts


def truth(participant: KnownParticipant, weights: tuple[tuple[Cell, float], ...]) -> TrueContrast:
    """The exact truth of a linear contrast, from the moments of the ease (Miller 2024; STATISTICS 4).

    A ValueError where repeats copy each other or tasks share records.
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
        within.append(sum(weight**2 * _noise(line, mean, variance) for weight, line in lines))
    effect = sum(effects) / len(effects)
    apart = sum((value - effect) ** 2 for value in effects) / len(effects)
    tau2 = apart + sum(between) / len(between)
    return TrueContrast(effect, Parts(tau2, sum(within) / len(within) / participant.steps))


def _noise(line: Line, mean: float, variance: float) -> float:
    centre = line.base + line.slope * mean
    return centre - centre**2 - line.slope**2 * variance


# -- who there is -------------------------------------------------------------------------------------------

RIGHT, WRONG = 0.9, 0.1
"""How often advice that is followed leads to success: good advice, and harmful advice."""


def one_kind(name: str, mean: float, cells: dict[Cell, Line]) -> KnownParticipant:
    """A participant to whom all tasks are of one kind."""
    return KnownParticipant(name, ease(mean), (tuple(cells.items()),))


_MIDDLING = Ease(1.0, 1.0, 0.25, 0.75)
IGNORES = one_kind("ignores", 0.4, {})
CEILING = one_kind("ceiling", 0.95, {})
FLOOR = one_kind("floor", 0.05, {})
STICKY = replace(IGNORES, name="sticky", copies=0.9)
PARTIAL = replace(IGNORES, name="ignores, partial credit", steps=10)
FORMAT_ONLY = one_kind("format-only", 0.5, dict.fromkeys((INTACT, DAMAGED), lift_failures(0.4)))
HARMFUL = one_kind("follows-harmful", 0.5, {INTACT: follows(0.5, WRONG)})
FLOOR_LIFTED = one_kind("floor, a little gained", 0.05, {INTACT: lift_failures(0.05)})
CEILING_LOST = one_kind("ceiling, a little lost", 0.95, {DAMAGED: hinder_successes(0.05)})
CEILING_HARMED = one_kind("ceiling, harmful", 0.9, {INTACT: follows(0.1, WRONG)})
SURE = one_kind("sure, a tenth lost", 0.5, {INTACT: Line(1.0, 0.0), DAMAGED: Line(0.9, 0.0)})
"""Its drop is .10, the default margin, and a few dozen tasks often show not one difference."""
REDISTRIBUTES = one_kind("redistributes", 0.3, {INTACT: Line(0.3, 0.0)})
"""Memory makes hard tasks easier and easy ones harder, and changes nothing on average: a skewed weak null."""
NOBODY_READS = one_kind("nobody reads", 0.4, {})
ONE_ARM_READS = one_kind("one arm reads", 0.4, {INTACT: follows(0.5, RIGHT)})
TWO_ARMS_READ = one_kind("two arms read", 0.4, {(arm, "intact"): follows(0.7, RIGHT) for arm in ARMS[1:3]})
AT_MARGIN = one_kind("all at the margin", 0.4, {(arm, "intact"): follows(0.2, RIGHT) for arm in ARMS})
"""Every drop and every utility is .10, the default margin."""
GAMBLES = KnownParticipant("gambles", ease(0.5, 0.95), (((INTACT, Line(0.5, 0.0)),),))
"""Tasks are nearly sure or hopeless, and memory makes each a coin's throw: no drop on average, and the drops
under all kinds of damage are nearly the same number; their correlation is .99."""
SLIGHTLY_USEFUL = one_kind("adds 0.05, all content", 0.5, {INTACT: lift_failures(0.1)})


def follower(uptake: float) -> KnownParticipant:
    """Follows its memory with chance `uptake`; damaged or foreign memory fits nothing and is left alone."""
    return one_kind(f"follows-{round(100 * uptake)}", 0.4, {INTACT: follows(uptake, RIGHT)})


PARTIAL_FOLLOWER = replace(follower(0.5), name="follows-50, partial credit", steps=10)


def two_arms(control: float, treatment: float) -> KnownParticipant:
    """Follows the control arm's memory with one chance and the treatment's with another."""
    cells = {CONTROL_INTACT: follows(control, RIGHT), INTACT: follows(treatment, RIGHT)}
    return one_kind(f"two arms, {round(100 * control)} and {round(100 * treatment)}", 0.4, cells)


def mixed_sign(size: float) -> KnownParticipant:
    """Content adds `size` on half of the tasks and takes as much on the others."""
    ways = (lift_failures(2 * size), hinder_successes(2 * size))
    kinds = tuple(((INTACT, way), (SWAPPED, OWN)) for way in ways)
    return KnownParticipant(f"mixed-sign {size:g}", ease(0.5), kinds)


def by_record(n_tasks: int, n_records: int) -> KnownParticipant:
    """Memory helps or harms by source record, and changes nothing on average."""
    name, records = f"by-record, {n_records} records", (n_tasks // n_records,)
    return KnownParticipant(name, _MIDDLING, ((),), records=records, record_effect=0.2)


def in_records(records: tuple[int, ...], lost: float, effect: float) -> KnownParticipant:
    """Tasks that share records of these sizes, in turn, under damage that costs `lost` of the successes.

    Args:
        effect: by how much a record shifts the intact cell.
    """
    sizes = " and ".join(str(size) for size in records)
    cells = (((DAMAGED, hinder_successes(lost)),),) if lost else ((),)
    return KnownParticipant(f"records of {sizes}", _MIDDLING, cells, records=records, record_effect=effect)
