"""The limits of a request: how often and how long it is tried, how large a reply may be, how many go at once.

Replies are bounded while they are read. Requests in flight to one provider are cut by half the share that it
refused as too many since the last cut, by half where it refused all, and grow by one for each full round of
answers: additive increase, multiplicative decrease (Chiu and Jain 1989) by as much as there was (Alizadeh et
al. 2010). One refusal among fifty answers is no reason to send half as many.
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


def kept_part(answered: int, refused: int) -> float:
    """What is left of a limit after a cut, by the requests that ended since the last one."""
    return 1.0 - refused / (answered + refused) / 2


@dataclass(frozen=True, slots=True)
class SlotUse:
    """Requests to one provider: in flight now; the most that were so or waited to be; and answers."""

    active: int
    wanted: int
    answers: int


Rank = tuple[int, ...]
"""Of requests that wait for a slot the lowest goes first, of several alike the first that came."""
Turn = tuple[Rank, int, asyncio.Future[bool]]
"""One that waits: true once a slot is given to it, false where it is to ask again whether to go on."""


@dataclass
class Throttle:
    """The limit of requests in flight to one provider; it starts at the most, and a 429 cuts it.

    Args:
        ruled: workers of a run agree on the limit, so that here it is neither cut nor grown.
    """

    most: int
    ruled: bool = False
    _limit: float = field(init=False)
    _active: int = 0
    _queue: list[Turn] = field(default_factory=list)
    _last: int = 0
    _cut_at: float = -1.0
    _answered: int = 0
    _refused: int = 0
    _closed_until: float = 0.0
    _wanted: int = 0
    _most_wanted: int = 0
    _answers: int = 0

    def __post_init__(self) -> None:
        self._limit = float(self.most)

    @property
    def state(self) -> ProviderSlot:
        """Requests in flight, and their limit, at this moment."""
        return ProviderSlot(self._active, int(self._limit), self.most)

    @property
    def is_busy(self) -> bool:
        """Whether a request is in flight."""
        return self._active > 0

    @asynccontextmanager
    async def slot(self, go_on: Callable[[], None] = lambda: None, rank: Rank = ()) -> AsyncIterator[float]:
        """Wait for a slot; yields the time at which it was given. `go_on` raises when waiting shall end."""
        loop = asyncio.get_running_loop()
        self._wanted += 1
        self._most_wanted = max(self._most_wanted, self._wanted)
        try:
            await self._enter(loop, go_on, rank)
            try:
                yield loop.time()
            finally:
                self._leave()
        finally:
            self._wanted -= 1

    def note_answer(self) -> None:
        """A request was answered: one slot more for each full round of answers."""
        self._answers += 1
        self._answered += 1
        if not self.ruled:
            self._limit = min(float(self.most), self._limit + 1 / max(self._limit, 1.0))
        self._wake()

    def note_refusal(self, begun: float, wait_s: float) -> bool:
        """The provider had too many requests, so nothing is sent for `wait_s`. Whether the limit was cut.

        Only requests that got their slot (`begun`) after the last cut cut it again.
        """
        self.close_for(wait_s)
        self._refused += 1
        if self.ruled or begun <= self._cut_at:
            return False
        self._limit = min(float(self.most), max(1.0, self._limit * kept_part(self._answered, self._refused)))
        self._answered, self._refused, self._cut_at = 0, 0, asyncio.get_running_loop().time()
        return True

    def close_for(self, wait_s: float) -> None:
        """Begin nothing for so long."""
        until = asyncio.get_running_loop().time() + wait_s
        self._closed_until = max(self._closed_until, until)

    def take_use(self) -> SlotUse:
        """How it was used since this was asked last."""
        use = SlotUse(self._active, self._most_wanted, self._answers)
        self._most_wanted, self._answers = self._wanted, 0
        return use

    def allow(self, most: int) -> None:
        """From now on so many at most, none at all for 0; those in flight beyond it end as they may."""
        full = self._limit >= self.most
        self.most = most
        self._limit = float(most) if full else min(self._limit, float(most))
        self._wake()

    def recall(self) -> None:
        """Let all who wait ask again whether to go on."""
        while self._queue:
            _, _, turn = heappop(self._queue)
            if not turn.done():
                turn.set_result(False)

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
                turn: asyncio.Future[bool] = loop.create_future()
                heappush(self._queue, (rank, number, turn))
                stays = False
                try:
                    if not await turn:
                        continue
                    go_on()
                    # else the provider had too many meanwhile
                    stays = self._closed_until <= loop.time() and self._active <= int(self._limit)
                finally:
                    # also one that is cancelled or halted with a slot in its hands gives it to the next
                    if turn.done() and not turn.cancelled() and turn.result() and not stays:
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
                turn.set_result(True)


@dataclass
class Throttles:
    """The throttle of each provider that was asked.

    Args:
        begun: set where one is asked for the first time.
    """

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    _by_provider: dict[str, Throttle] = field(default_factory=dict)

    def of(self, provider: str, most: int, ruled: bool) -> Throttle:
        """That of a provider. A `ruled` one lets nothing through until workers have agreed on a part."""
        if provider not in self._by_provider:
            self._by_provider[provider] = Throttle(0 if ruled else most, ruled)
            self.begun.set()
        return self._by_provider[provider]

    @property
    def are_busy(self) -> bool:
        """Whether any request is in flight."""
        return any(throttle.is_busy for throttle in self._by_provider.values())

    def states(self) -> dict[str, ProviderSlot]:
        """Requests in flight, and their limits, at this moment."""
        return {provider: throttle.state for provider, throttle in self._by_provider.items()}

    def take_uses(self) -> dict[str, SlotUse]:
        """How each was used since this was asked last."""
        return {provider: throttle.take_use() for provider, throttle in self._by_provider.items()}

    def allow(self, provider: str, most: int) -> None:
        """From now on so many requests in flight to a provider that was asked."""
        self._by_provider[provider].allow(most)

    def recall(self) -> None:
        """Let all who wait for a slot ask again whether to go on."""
        for throttle in self._by_provider.values():
            throttle.recall()
