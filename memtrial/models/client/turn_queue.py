"""Turns of the event loop for those who have an answer at once, beside those who wait for one."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

AT_A_TIME = 2
"""A turn with many of them is long, and an answer that arrives meanwhile takes two or three turns until its
connection asks again."""


@dataclass
class TurnQueue:
    """Lets a few go on in each turn of the event loop, in the order in which they came."""

    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    async def wait(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._let_go, loop)
        await turn

    def _let_go(self, loop: asyncio.AbstractEventLoop) -> None:
        left = AT_A_TIME
        while self._waiting and left:
            turn = self._waiting.popleft()
            if not turn.done():  # nobody gave up
                turn.set_result(None)
                left -= 1
        if self._waiting:
            loop.call_soon(self._let_go, loop)
