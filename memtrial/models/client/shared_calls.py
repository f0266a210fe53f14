"""Calls that several workers of one run make: each is asked by one of them, and found by all."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from memtrial.faults import StoreFault
from memtrial.models.client.limits import POLL_S


class SharedRates(Protocol):
    """The rate limits of providers, as all workers of a run met them."""

    def closed_s(self, provider: str) -> float:
        """For how many seconds from now nobody may send it anything; it told one of them to wait."""

    def note_refusal(self, provider: str, since_s: float, wait_s: float) -> bool:
        """A request that was sent `since_s` ago was refused as one too many; nothing is sent for `wait_s`.

        Whether the limit of all workers was cut: it is not where it was, after that request began.
        """


class SharedCalls(Protocol):
    """What a store of calls offers beside `CallStore` where others write into it, too."""

    @property
    def rates(self) -> SharedRates: ...

    def claim(self, key: bytes) -> bool:
        """Whether this worker may ask a call: it has no answer, and nobody else is asking it now."""

    def release(self, key: bytes) -> None:
        """No answer came, and this worker asks no more: another one may."""

    def list_settled(self, keys: Sequence[bytes]) -> list[bytes]:
        """Those of the keys that have an answer, or that nobody is asking any more."""


@dataclass
class ClaimQueue:
    """Calls that others are asking and this worker waits for: one look at all of them for each `POLL_S`."""

    shared: SharedCalls
    halted: Callable[[], str]
    on_wait: Callable[[int], None]
    _turns: dict[bytes, asyncio.Future[None]] = field(default_factory=dict)
    _looking: asyncio.Task[None] | None = None

    async def claim(self, key: bytes, is_kept: Callable[[], bool]) -> bool:
        """Whether this worker is to ask; else the answer is kept by now, or the session was halted.

        `on_wait` hears 1 where a wait begins, and -1 where it ends.
        """
        while not (claimed := self.shared.claim(key)) and not is_kept() and not self.halted():
            self.on_wait(1)
            try:
                await self._wait(key)
            finally:
                self.on_wait(-1)
        return claimed

    async def _wait(self, key: bytes) -> None:
        self._turns[key] = asyncio.get_running_loop().create_future()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            await self._turns[key]
        finally:
            del self._turns[key]

    async def _look(self) -> None:
        while self._turns:
            await asyncio.sleep(POLL_S)
            settled = list(self._turns)
            if not self.halted():
                with suppress(StoreFault):  # who waits meets the same fault
                    settled = self.shared.list_settled(settled)
            for key in settled:
                if (turn := self._turns.get(key)) is not None and not turn.done():
                    turn.set_result(None)


def ignore_wait(_: int) -> None:
    """Nobody takes the place of whoever waits."""


@dataclass(slots=True)
class HeldLock:
    """A lock, held for a while; `on_wait` hears 1 where another one holds it, and -1 when that is over."""

    lock: asyncio.Lock
    on_wait: Callable[[int], None]

    async def __aenter__(self) -> None:
        if not self.lock.locked():
            await self.lock.acquire()
            return
        self.on_wait(1)
        try:
            await self.lock.acquire()
        finally:
            self.on_wait(-1)

    async def __aexit__(self, *_: object) -> None:
        self.lock.release()
