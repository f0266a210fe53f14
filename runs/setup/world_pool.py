"""Worlds by spec, a pool of them, and the retry of an episode whose world broke."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from memtrial.agents.episode import Episode
from memtrial.faults import SpecFault, refused
from memtrial.plugins.adapters import load_world
from memtrial.protocols import World
from memtrial.runs.spec.environment import (
    GivenSpec,
    PluginWorldSpec,
    ScenariosSpec,
    ScienceWorldSpec,
    SingleTurnSpec,
)
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.given.task_rows import read_tasks
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.scenarios.world import Scenarios
from memtrial.worlds.single_turn.question_set import MOST, QuestionChoice
from memtrial.worlds.single_turn.world import invent_world, open_questions
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import State, Task, WorldFault

ATTEMPTS = 3


def open_world(spec: Spec) -> World:
    """A new world, which plays one episode at a time; SpecFault where it is not installed, or has no such
    tasks."""
    asked = spec.environment
    if isinstance(asked, PluginWorldSpec):
        return load_world(asked.world, asked.settings, spec.seed)
    if isinstance(asked, ScienceWorldSpec):
        from memtrial.worlds.scienceworld.world import ScienceWorld, TaskChoice

        with refused(ValueError):
            own = asked.model_dump(exclude={"world", "train", "test"})
            return ScienceWorld(TaskChoice(n_train=asked.train, n_test=asked.test, seed=spec.seed, **own))
    if isinstance(asked, GivenSpec):
        if asked.tasks is None:
            raise SpecFault("environment.tasks: a file of tasks is needed; got none")
        return GivenTasks(read_tasks(asked.tasks))
    if isinstance(asked, SingleTurnSpec):
        if asked.questions is None:
            if asked.kind is not None:
                raise SpecFault(
                    "environment.kind is of questions of yours: name them as environment.questions"
                )
            return invent_world(spec.seed, asked.train or MOST["train"], asked.test or MOST["test"])
        return open_questions(QuestionChoice(asked.questions, asked.train, asked.test, asked.kind, spec.seed))
    if isinstance(asked, ScenariosSpec):
        return Scenarios(spec.seed, asked.train, asked.test)
    return Workshop(spec.seed, asked.train, asked.test, asked.families, asked.difficulty)


async def begun(world: World, task: Task) -> State:
    """How a task begins. A world that waits on something outside Python is asked in a thread."""
    return await asyncio.to_thread(world.reset, task) if world.blocking else world.reset(task)


async def retry_episode(attempt: Callable[[], Awaitable[Episode]]) -> Episode:
    """An episode; one whose world broke is begun anew, at most twice. Answers are cached, so it takes the
    same course."""
    for _ in range(ATTEMPTS - 1):
        with suppress(WorldFault):
            return await attempt()
    return await attempt()


@dataclass
class Worlds:
    """At most `most` worlds, opened when they are needed; those `idle` at first are not closed here."""

    open: Callable[[], World]
    most: int
    idle: list[World] = field(default_factory=list)
    every: list[World] = field(default_factory=list)
    _room: asyncio.Semaphore | None = None

    @asynccontextmanager
    async def borrow(self) -> AsyncIterator[World]:
        """A world for a while, given back at the end."""
        self._room = self._room or asyncio.Semaphore(self.most)
        async with self._room:
            if not self.idle:
                self.idle.append(self.open())
                self.every.append(self.idle[-1])
            world = self.idle.pop()
            try:
                yield world
            finally:
                self.idle.append(world)

    def close(self) -> None:
        """Close all of them."""
        for world in self.every:
            world.close()
