"""How many requests may be in flight to one provider: halved when it says too many, grown while it answers.

Additive increase, multiplicative decrease, as TCP has it (Chiu and Jain 1989).
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

POLL_S = 0.2
"""Seconds between two checks whether to go on waiting."""


@dataclass(frozen=True, slots=True)
class ProviderSlot:
    """Requests to one provider: in flight, how many may be now, and how many at most."""

    active: int
    limit: int
    most: int


@dataclass
class Throttle:
    """The limit of requests in flight to one provider; it starts at the most, and the first 429 halves it."""

    most: int
    _limit: float = field(init=False)
    _active: int = 0
    _queue: deque[asyncio.Future[None]] = field(default_factory=deque)
    _halved_at: float = -1.0
    _closed_until: float = 0.0

    def __post_init__(self) -> None:
        self._limit = float(self.most)

    @property
    def state(self) -> ProviderSlot:
        """Requests in flight, and their limit, at this moment."""
        return ProviderSlot(self._active, int(self._limit), self.most)

    @asynccontextmanager
    async def slot(self, go_on: Callable[[], None] = lambda: None) -> AsyncIterator[float]:
        """Wait for a slot; yields the time at which it was given. `go_on` raises when waiting shall end."""
        loop = asyncio.get_running_loop()
        entered = False
        try:
            await self._enter(loop, go_on)
            entered = True
            yield loop.time()
        finally:
            # a request cancelled while it waits may hold an offered slot, which goes to the next
            self._active -= entered
            self._wake()

    def answered(self) -> None:
        """A request was answered: one slot more for each full round of answers."""
        self._limit = min(float(self.most), self._limit + 1 / self._limit)
        self._wake()

    def refused(self, begun: float, wait_s: float) -> bool:
        """The provider had too many requests, so nothing is sent for `wait_s`. Whether the limit was halved.

        Only requests that got their slot (`begun`) after the last halving halve it again.
        """
        now = asyncio.get_running_loop().time()
        self._closed_until = max(self._closed_until, now + wait_s)
        if begun <= self._halved_at:
            return False
        self._limit, self._halved_at = max(1.0, self._limit / 2), now
        return True

    async def _enter(self, loop: asyncio.AbstractEventLoop, go_on: Callable[[], None]) -> None:
        while True:
            go_on()
            closed_s = self._closed_until - loop.time()
            if closed_s > 0:
                await asyncio.sleep(min(closed_s, POLL_S))
            elif self._active < int(self._limit):
                self._active += 1
                return
            else:
                turn: asyncio.Future[None] = loop.create_future()
                self._queue.append(turn)
                await turn

    def _wake(self) -> None:
        free = int(self._limit) - self._active
        while free > 0 and self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
