"""Workers side by side: so many that have something to do, and beside them those that wait for an answer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


@dataclass
class WorkerPool:
    """Does a piece of work again and again, `busy` workers at a time, until nothing is left.

    A worker that waits for the answer to a request that another one has sent uses no connection: one more is
    begun in its place. Once it goes on, the next one that has finished its piece ends.

    Args:
        work: does one piece; False when there is none any more.
        most: workers at any time, those that wait among them.
    """

    work: Callable[[], Awaitable[bool]]
    busy: int
    most: int
    _begun: int = 0
    _waiting: int = 0
    _group: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)

    async def run(self) -> None:
        """Work until nothing is left; what breaks in it rises as an ExceptionGroup, and ends all others."""
        async with self._group:
            for _ in range(self.busy):
                self._begin()

    def note_wait(self, change: int) -> None:
        """Take note of a worker that begins to wait (1), or goes on (-1)."""
        self._waiting += change
        if change > 0 and self._begun < min(self.most, self.busy + self._waiting):
            self._begin()

    def _begin(self) -> None:
        self._begun += 1
        self._group.create_task(self._go_on())

    async def _go_on(self) -> None:
        try:
            while self._begun - self._waiting <= self.busy and await self.work():
                pass
        finally:
            self._begun -= 1
