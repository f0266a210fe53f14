"""What a plan learns from the world: its tasks, which of them go together, and a few rendered prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from loadbearing.arms.arm import DOSES, ORACLE, PLANTED_NATIVE, PLANTED_THEORY
from loadbearing.arms.ladder import donated
from loadbearing.arms.planted import as_native
from loadbearing.environments.world import Task, Truth, World, WorldFault
from loadbearing.episodes.react import SYSTEM, TURN
from loadbearing.memory.markdown import render
from loadbearing.runs.errors import RunFault
from loadbearing.runs.planning.clusters import TaskClusters, expected_clusters
from loadbearing.runs.planning.cost import CHARACTERS, Three
from loadbearing.runs.prepare.world_memories import refuse_unstated, wanted_of
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.setup.worlds import open_world

SAMPLED = 5
"""Tasks whose prompts are rendered."""
REPLY: Three = np.array([30.0, 60.0, 200.0])
"""Tokens of one reply of an agent: a thought and an action."""


@dataclass(frozen=True, slots=True)
class WorldSample:
    """Counts over all tasks, and means over a few.

    Args:
        n_test, n_train: tasks; none to train on where nothing is prepared.
        most_turns: that all test tasks have together.
        clusters: of the test tasks.
        rules, turn: tokens.
        stated: tokens of each memory that the world states.
        path: turns that the world's own way takes.
        limit: turns that an agent has.
    """

    n_test: int
    n_train: int
    most_turns: int
    clusters: TaskClusters
    rules: float
    turn: float
    stated: Mapping[str, float]
    path: float
    limit: float

    @property
    def turns(self) -> Three:
        """Of one episode."""
        shortest = min(self.path, self.limit)
        return np.array([shortest, (shortest + self.limit) / 2, self.limit])

    @property
    def traces(self) -> Three:
        """Tokens of one trajectory."""
        return self.turns * (self.turn + REPLY)


def sample_world(experiment: Experiment) -> WorldSample:
    """Look at the tasks, and render the first turns of a few, spread over all.

    Raises:
        SpecFault: an arm asks for what the world does not state.
        RunFault: the world broke.
    """
    spec, design = experiment.spec, experiment.design
    world = open_world(spec)
    try:
        tasks = world.tasks("test")
        limits = [world.step_limit(task) for task in tasks]
        prepares = spec.mode == "frozen" and (design.memories or design.systems)
        train = world.tasks("train") if prepares else ()
        few = tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]
        turns, truths = [], []
        for task in few:
            state = world.reset(task)
            shown = {"task": task.query, "observation": state.observation, "actions": state.actions or ()}
            turns.append(len(TURN.render(shown | {"memory": ""})) / CHARACTERS)
            truths.append(_truth(world, task))
        refuse_unstated(world, tasks, few, wanted_of(design.arms))
        return WorldSample(
            n_test=len(tasks),
            n_train=len(train),
            most_turns=sum(limits),
            clusters=expected_clusters(experiment, tasks, train),
            rules=len(SYSTEM.render({"rules": world.rules, "memory": ""})) / CHARACTERS,
            turn=fmean(turns),
            stated=_stated(truths),
            path=fmean(len(truth.path) for truth in truths),
            limit=fmean(world.step_limit(task) for task in few),
        )
    except WorldFault as fault:
        raise RunFault(f"a plan looks at a few tasks of the world, and it broke: {fault}") from fault
    finally:
        world.close()


def _truth(world: World, task: Task) -> Truth:
    """What the world states; no lesson and a single turn where it states nothing."""
    try:
        return world.ground_truth(task)
    except WorldFault:
        # a world of one's own need not state it; only arms with true memory and expert traces need it
        return Truth("", ("",))


def _stated(truths: list[Truth]) -> dict[str, float]:
    """Tokens of each memory that the world states."""
    planted = fmean(map(_planted, truths))
    return {
        ORACLE: fmean(len(truth.lesson) / CHARACTERS for truth in truths),
        PLANTED_NATIVE: planted,
        PLANTED_THEORY: planted,
        **dict.fromkeys(DOSES, fmean(map(_rung, truths))),
    }


def _planted(truth: Truth) -> float:
    """Tokens of the true proposition as an item; the two schemas are of about one length."""
    return 0.0 if truth.proposition is None else len(render(as_native(truth.proposition))) / CHARACTERS


def _rung(truth: Truth) -> float:
    """Tokens of a slot of the dose ladder; distractors are other families' rules, about as long."""
    if truth.proposition is None:
        return 0.0
    return sum(map(len, donated((truth.proposition, *truth.further)))) / CHARACTERS
