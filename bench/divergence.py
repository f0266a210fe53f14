"""What divergence shows, by simulated participants in the workshop; takes minutes.

`python -m bench.divergence [RUNS]`: RUNS runs of an ignorer, each of its own tasks: how often its actions are
called divergent (type-I error at .05, with the 99.9 % band of that many runs). Then a reader that takes up
half of its items: the fewest tasks with which divergence, and with which success, shows the damage in 80 % of
drawn runs. Memory is one true rule in prose; damaged it is the rule of another family. Two repeats a cell.

`python -m bench.divergence RUN CONDITION`: the same of a run with one arm, from its ledger.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.agents.slot import Slot
from memtrial.analysis.behaviour.course_distance import canonical, edit_distances
from memtrial.analysis.behaviour.energy_distance import Sides, measure, permute_labels, pool_episodes
from memtrial.analysis.inference.interval import p_zero, unit_sample
from memtrial.arms.arm import PREPEND
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.markdown import render
from memtrial.models.client.types import Message, Reply, Request
from memtrial.models.simulated.participants import SimulatedParticipant
from memtrial.outcomes.reserved_names import INTACT, NONE
from memtrial.prompts.templates import cue_line
from memtrial.runs.preparation.world_memories import as_native
from memtrial.runs.run_folder.folder import LEDGER
from memtrial.views.evidence.divergence import actions
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Task

ALPHA, REPEATS, SMALL, DRAWN, POWER = 0.05, 2, 20, 200, 0.8
SIZES = (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300)


@dataclass
class Spoken:
    """A participant where a model client would be: nothing is kept or counted."""

    participant: SimulatedParticipant
    repeat: int

    def request(self, messages: tuple[Message, ...]) -> Request:
        return Request("simulated", messages)

    async def send(self, request: Request) -> Reply:
        text = self.participant.say(request.messages, request.digest.hex(), self.repeat)
        return Reply(text, 0, 0, "simulated")


@dataclass(frozen=True)
class Played:
    """Episodes of one task: intact, and damaged."""

    task: str
    sides: Sides
    drop: float


def played(who: SimulatedParticipant, n_tasks: int, seed: int) -> list[Played]:
    """All tasks of one workshop, each twice with its rule and twice with that of another family."""
    world, found = Workshop(seed, 1, n_tasks), []
    tasks = world.tasks("test")
    told = {task.id: _told(world, task) for task in tasks}
    for at, task in enumerate(tasks):
        away = next(other for other in (*tasks[at:], *tasks) if other.family != task.family)
        episodes = [
            [_one(who, world, task, text, n) for n in range(REPEATS)]
            for text in (told[task.id], told[away.id])
        ]
        acts = [
            tuple(tuple(canonical(step.action) for step in one.steps) for one in side) for side in episodes
        ]
        means = [np.mean([one.outcome.success for one in side]) for side in episodes]
        found.append(Played(task.id, (acts[0], acts[1]), float(means[0] - means[1])))
    return found


def _told(world: Workshop, task: Task) -> str:
    rule = world.ground_truth(task).proposition
    assert rule is not None  # the workshop states one of every task
    return render(as_native(rule))


def _one(who: SimulatedParticipant, world: Workshop, task: Task, text: str, repeat: int) -> Episode:
    injection = PREPEND(Slot(cue_line(), (text,)), ())
    return asyncio.run(play(ReAct(), world, task, Spoken(who, repeat), injection))  # type: ignore[arg-type]


def diverges(some: Sequence[Played], rng: np.random.Generator) -> bool:
    """At ALPHA, by the energy statistic of edit distances."""
    one = measure(pool_episodes([{each.task: each.sides for each in some}]), edit_distances, rng)
    return bool(permute_labels(one, 999, rng)[0][0] <= ALPHA)


def drops(some: Sequence[Played], _: np.random.Generator) -> bool:
    """At ALPHA, by the primary test of the drop."""
    values = np.array([each.drop for each in some])
    sample = unit_sample(values, np.arange(len(values)), len(some[0].sides[0]), (-1.0, 1.0))
    return float(p_zero(sample)) <= ALPHA and values.mean() > 0


def power(found: Sequence[Played], n: int, test: Callable[..., bool], rng: np.random.Generator) -> float:
    """Share of drawn runs of n tasks in which a test shows the damage."""
    drawn = (rng.choice(len(found), size=n, replace=False) for _ in range(DRAWN))
    return float(np.mean([test([found[at] for at in some], rng) for some in drawn]))


def fewest(found: Sequence[Played], test: Callable[..., bool], rng: np.random.Generator) -> tuple[int, float]:
    """The fewest tasks of SIZES with enough power, and that power."""
    reached = 0.0
    for n in SIZES:
        reached = power(found, n, test, rng)
        if reached >= POWER:
            return n, reached
    return 0, reached


def read(folder: Path, condition: str) -> list[Played]:
    """The tasks of a run's only arm, intact and under one condition."""
    ledger = SqliteLedger.open_read_only(folder / LEDGER)
    said = dict(actions(ledger.connection))
    cells: dict[tuple[str, str], list[tuple[tuple[int, ...], bool]]] = {}
    for one in ledger.trials():
        if one.arm != NONE and one.condition in (INTACT, condition) and one.status != "error":
            entry = (said[one.key], one.status == "success")
            cells.setdefault((one.task, one.condition), []).append(entry)
    ledger.close()
    found = []
    for task in sorted({task for task, _ in cells}):
        both = [cells.get((task, name), []) for name in (INTACT, condition)]
        if all(both):
            acts = [tuple(each for each, _ in side) for side in both]
            means = [float(np.mean([solved for _, solved in side])) for side in both]
            found.append(Played(task, (acts[0], acts[1]), means[0] - means[1]))
    return found


def ignored(runs: int) -> None:
    """Type-I error of divergence where nothing is read."""
    rng = np.random.default_rng(15)
    found = played(SimulatedParticipant("ignorer"), runs * SMALL, 5)
    order = rng.permutation(len(found)).reshape(runs, SMALL)
    errors = sum(diverges([found[at] for at in one], rng) for one in order)
    low, high = (int(binom.ppf(q, runs, ALPHA)) for q in (0.0005, 0.9995))
    print(f"ignorer: {errors} of {runs} runs of {SMALL} tasks called divergent; band {low} to {high}")


def needed(name: str, found: Sequence[Played]) -> None:
    """The tasks and episodes that divergence and success need."""
    rng = np.random.default_rng(16)
    repeats = len(found[0].sides[0])
    drop = np.mean([one.drop for one in found])
    print(f"{name}: drop {drop:+.3f} over {len(found)} tasks x {repeats}", flush=True)
    for what, test in (("divergence", diverges), ("success", drops)):
        n, reached = fewest(found, test, rng)
        print(f"  {what}: {n or 'more'} tasks, {n * 2 * repeats} episodes, power {reached:.2f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        needed(f"{sys.argv[1]}, {sys.argv[2]}", read(Path(sys.argv[1]), sys.argv[2]))
    else:
        ignored(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
        needed("reader?uptake=0.5, a true rule", played(SimulatedParticipant("reader", uptake=0.5), 600, 6))
