"""The limits of a request: how often and how long it is tried, how large a reply may be, how many go at once.

Replies are bounded while they are read. Requests in flight to one provider are halved when it says too many,
and grow while it answers: additive increase, multiplicative decrease (Chiu and Jain 1989).
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

from memtrial.models.client.types import ProviderFault

CONNECT_S = 30.0
"""Seconds to a connection."""

READ_S = 3700.0
"""Seconds without a byte, for the libraries that send: longer than any `call_timeout_s`, which counts."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounded retries.

    Args:
        call_timeout_s: when a request is given up, even while bytes still arrive.
        first_wait_s: the pause after the first fault; it doubles with each further one, to `longest_wait_s`.
        longest_asked_s: the longest pause a provider may ask for before the request is given up.
    """

    attempts: int = 6
    call_timeout_s: float = 300.0
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    longest_asked_s: float = 3600.0

    def wait_s(self, fault: ProviderFault, attempt: int, rng: Random) -> float | None:
        """Seconds to wait after this attempt, counted from 1; None: give up."""
        if not fault.heals or attempt >= self.attempts:
            return None
        if fault.retry_after_s is not None:
            return None if fault.retry_after_s > self.longest_asked_s else fault.retry_after_s
        doubled_s = self.first_wait_s * 2.0 ** (attempt - 1)
        # a random part, so that many requests do not return together
        return min(self.longest_wait_s, doubled_s) * rng.uniform(0.5, 1.0)


MAX_REPLY_BYTES = 1024 * 1024
"""A reply of 2,048 tokens has about 10,000 bytes, one of 64,000 tokens about 250,000."""


async def bound_body(pieces: AsyncIterator[bytes], most: int, asked: str) -> AsyncIterator[bytes]:
    """The pieces of a body of at most `most` bytes; `asked` is the model string, for the message.

    Raises:
        ProviderFault: the body is larger. It does not heal: the next reply would cost money as well.
    """
    read = 0
    async for piece in pieces:
        read += len(piece)
        if read > most:
            raise ProviderFault(
                f"{asked}: a reply of more than {most} bytes; engine.max_reply_bytes bounds it",
                "large reply",
                heals=False,
            )
        yield piece


POLL_S = 0.2
"""Seconds between two checks whether to go on waiting."""


@dataclass(frozen=True, slots=True)
class ProviderSlot:
    """Requests to one provider: in flight, how many may be now, and how many at most."""

    active: int
    limit: int
    most: int


Rank = tuple[int, ...]
"""Of requests that wait for a slot the lowest goes first, of several alike the first that came."""
Turn = tuple[Rank, int, asyncio.Future[None]]


@dataclass
class Throttle:
    """The limit of requests in flight to one provider; it starts at the most, and the first 429 halves it."""

    most: int
    _limit: float = field(init=False)
    _active: int = 0
    _queue: list[Turn] = field(default_factory=list)
    _last: int = 0
    _halved_at: float = -1.0
    _closed_until: float = 0.0

    def __post_init__(self) -> None:
        self._limit = float(self.most)

    @property
    def state(self) -> ProviderSlot:
        """Requests in flight, and their limit, at this moment."""
        return ProviderSlot(self._active, int(self._limit), self.most)

    @asynccontextmanager
    async def slot(self, go_on: Callable[[], None] = lambda: None, rank: Rank = ()) -> AsyncIterator[float]:
        """Wait for a slot; yields the time at which it was given. `go_on` raises when waiting shall end."""
        loop = asyncio.get_running_loop()
        await self._enter(loop, go_on, rank)
        try:
            yield loop.time()
        finally:
            self._leave()

    def note_answer(self) -> None:
        """A request was answered: one slot more for each full round of answers."""
        self._limit = min(float(self.most), self._limit + 1 / max(self._limit, 1.0))
        self._wake()

    def note_refusal(self, begun: float, wait_s: float) -> bool:
        """The provider had too many requests, so nothing is sent for `wait_s`. Whether the limit was halved.

        Only requests that got their slot (`begun`) after the last halving halve it again.
        """
        now = asyncio.get_running_loop().time()
        self._closed_until = max(self._closed_until, now + wait_s)
        if begun <= self._halved_at:
            return False
        self._limit, self._halved_at = min(float(self.most), max(1.0, self._limit / 2)), now
        return True

    def allow(self, most: int) -> None:
        """From now on so many at most, none at all for 0; those in flight beyond it end as they may."""
        full = self._limit >= self.most
        self.most = most
        self._limit = float(most) if full else min(self._limit, float(most))
        self._wake()

    async def _enter(self, loop: asyncio.AbstractEventLoop, go_on: Callable[[], None], rank: Rank) -> None:
        self._last += 1
        number = self._last
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
                heappush(self._queue, (rank, number, turn))
                stays = False
                try:
                    await turn
                    go_on()
                    # else the provider had too many meanwhile
                    stays = self._closed_until <= loop.time() and self._active <= int(self._limit)
                finally:
                    # also one that is cancelled or halted with a slot in its hands gives it to the next
                    if turn.done() and not turn.cancelled() and not stays:
                        self._leave()
                if stays:
                    return

    def _leave(self) -> None:
        self._active -= 1
        self._wake()

    def _wake(self) -> None:
        """Give each free slot to a request that waits, which has it from now on: none that comes later takes
        it."""
        while self._queue and self._active < int(self._limit):
            _, _, turn = heappop(self._queue)
            if not turn.done():
                self._active += 1
                turn.set_result(None)
