"""How often, how long and with which pauses one request is tried."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from loadbearing.models.client.types import ProviderFault


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounded retries.

    Args:
        attempts: how often a request is sent at most.
        call_timeout_s: until a request without an answer is given up; the whole of it, however slowly bytes
            drip in.
        first_wait_s: the pause after the first fault; it doubles with each further one.
        longest_wait_s: no pause of our own is longer.
        longest_asked_s: a provider that asks for a longer pause is not waited for.
    """

    attempts: int = 6
    call_timeout_s: float = 300.0
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    longest_asked_s: float = 3600.0

    def wait_s(self, fault: ProviderFault, attempt: int, rng: Random) -> float | None:
        """How long to wait before the next attempt; None: give up.

        Args:
            attempt: how often the request was sent so far, from 1.
            rng: spreads the pauses of many requests.
        """
        if not fault.heals or attempt >= self.attempts:
            return None
        if fault.retry_after_s is not None:
            return None if fault.retry_after_s > self.longest_asked_s else fault.retry_after_s
        doubled_s = self.first_wait_s * 2.0 ** (attempt - 1)
        return min(self.longest_wait_s, doubled_s) * rng.uniform(0.5, 1.0)
