"""The limits of a request: how often and how long it is tried, and how large its reply may be.

Replies are bounded while they are read, so that they fill neither memory nor disk.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from random import Random

from loadbearing.models.client.types import ProviderFault

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


async def bounded(pieces: AsyncIterator[bytes], most: int, asked: str) -> AsyncIterator[bytes]:
    """The pieces of a body of at most `most` bytes; `asked` is the model string, for the message.

    Raises:
        ProviderFault: the body is larger. It does not heal: the next reply would cost money as well.
    """
    read = 0
    async for piece in pieces:
        read += len(piece)
        if read > most:
            said = f"{asked}: a reply of more than {most} bytes; engine.max_reply_bytes bounds it"
            raise ProviderFault(said, "large reply", heals=False)
        yield piece
