"""The parts on their own: the model client before a backend that computes, whole simulated episodes."""

import asyncio
from collections.abc import Iterator

from bench.figure import Figure, beside, spent_by
from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.agents.slot import NOTHING
from memtrial.arms.arm import PREPEND
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Message, Request
from memtrial.models.providers.open import open_backend
from memtrial.worlds.workshop.world import Workshop

MODEL = "simulated/ignorer"
TIMES = 5


def figures() -> Iterator[Figure]:
    """One figure a part."""
    yield _door()
    yield _episodes()


def _door() -> Figure:
    """A simulated call through the model client against the bare backend."""
    backend = open_backend(MODEL)
    asked = [
        Request(
            MODEL,
            (Message("system", "s" * 1500), Message("user", f"Task: {i}\n\nObservation: o\nActions: a | b")),
        )
        for i in range(2_000)
    ]

    async def through() -> None:
        place = ModelClient(CallCache(MemoryCallStore()), open_backend)
        for request in asked:
            await place.ask(request, 0)
        place.cache.flush()

    async def bare() -> None:
        for request in asked:
            await backend.answer(request, 0)

    found = beside(
        lambda: spent_by(lambda: asyncio.run(through())), lambda: spent_by(lambda: asyncio.run(bare())), TIMES
    )
    return Figure(
        "simulated calls through the model client against the bare participant",
        f"{found.ours_s / 2:.3f} and {found.peer_s / 2:.3f} ms a call",
        found.ratio,
        spread=found.spread,
    )


def _episodes() -> Figure:
    """Whole episodes against the world alone."""
    world = Workshop(0, 0, 120)

    async def played() -> None:
        place = ModelClient(CallCache(MemoryCallStore()), open_backend)
        for task in world.tasks("test"):
            await play(ReAct(), world, task, Caller(place, MODEL), PREPEND(NOTHING, ()))

    def walked() -> None:
        for task in world.tasks("test"):
            world.reset(task)
            for action in world.ground_truth(task).path:
                world.step(action)

    found = beside(lambda: spent_by(lambda: asyncio.run(played())), lambda: spent_by(walked), TIMES)
    return Figure(
        "simulated episodes against the world alone",
        f"{120 / found.ours_s:,.0f} and {120 / found.peer_s:,.0f} episodes a second",
        found.ratio,
        spread=found.spread,
    )


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
