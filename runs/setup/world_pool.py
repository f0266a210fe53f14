"""A pool of worlds, each used for one episode at a time, and the retry of an episode whose world broke."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from loadbearing.environments.world import World, WorldFault
from loadbearing.episodes.react import Episode

ATTEMPTS = 3


async def unbroken(attempt: Callable[[], Awaitable[Episode]]) -> Episode:
    """An episode; one whose world broke is begun anew. Answers are cached, so it takes the same course.

    Raises:
        WorldFault: the world broke again and again.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(WorldFault):
            return await attempt()
    return await attempt()


@dataclass
class Worlds:
    """At most `most` worlds, opened when they are needed.

    Args:
        idle: worlds that are open already; their owner closes them.
    """

    open: Callable[[], World]
    most: int
    idle: list[World] = field(default_factory=list)
    every: list[World] = field(default_factory=list)
    _room: asyncio.Semaphore | None = None

    @asynccontextmanager
    async def one(self) -> AsyncIterator[World]:
        """A world for a while."""
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
