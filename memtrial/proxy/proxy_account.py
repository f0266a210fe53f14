"""What a session, or all of a proxy, may use, and has used."""

from __future__ import annotations

from asyncio import Semaphore
from dataclasses import dataclass, field

from memtrial.proxy.exchange import ExchangeEnd


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """What may be used; None: any number.

    Args:
        max_usd: US dollars. A request is refused once they are spent, those in flight counted at the mean
            cost so far; one whose cost could not be known is refused before it is sent.
        max_calls: requests that cost money.
        max_connections: requests in flight at once; the others wait.
    """

    max_usd: float | None = None
    max_calls: int | None = None
    max_connections: int = 50


COUNTS = (
    "calls",
    "shared",
    "refused",
    "unmetered",
    "unpriced",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "usd",
)


@dataclass
class ProxyAccount:
    """Counts of what was used.

    Args:
        whose: whose limits these are, for messages: `the session's`, or empty.
        calls: requests that were sent and cost money.
        shared: those that got an earlier reply, and cost nothing.
        refused: those that the proxy itself refused.
        unmetered: calls that may have cost more than is counted here, since no reply says so.
        unpriced: calls whose tokens are known, but not their price.
    """

    limits: ProxyLimits = ProxyLimits()
    whose: str = ""
    calls: int = 0
    shared: int = 0
    refused: int = 0
    unmetered: int = 0
    unpriced: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    usd: float = 0.0
    in_flight: int = 0
    slots: Semaphore = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.slots = Semaphore(self.limits.max_connections)

    def limit_reached(self) -> str:
        """The limit that forbids a further call, in a sentence; empty where none does."""
        limits = self.limits
        if limits.max_calls is not None and self.calls >= limits.max_calls:
            return f"{self.whose}max_calls {limits.max_calls:,} is reached; a larger one goes on".strip()
        done = self.calls - self.in_flight
        expected = self.usd + (self.in_flight * self.usd / done if done else 0.0)
        if limits.max_usd is not None and expected >= limits.max_usd:
            spent = f"${self.usd:.4g} is spent" + (", and calls in flight" if self.in_flight else "")
            return f"{self.whose}budget of ${limits.max_usd:.4g} is used up ({spent}); a larger one goes on"
        return ""

    def totals(self) -> dict[str, int | float]:
        """Every count by its name."""
        return {name: getattr(self, name) for name in COUNTS}

    def begin_call(self) -> None:
        """A call that costs money is sent."""
        self.calls += 1
        self.in_flight += 1

    def end_call(self) -> None:
        """It has ended."""
        self.in_flight -= 1

    def count(self, end: ExchangeEnd) -> None:
        """Add what an exchange used."""
        self.shared += end.how == "shared"
        self.refused += end.how == "refused"
        self.unmetered += end.unmetered
        if end.usage is not None and end.how != "shared":
            self.input_tokens += end.usage.input_tokens
            self.output_tokens += end.usage.output_tokens
            self.cache_read_tokens += end.usage.cache_read_tokens
            self.cache_write_tokens += end.usage.cache_write_tokens
            self.unpriced += end.usd is None
            self.usd += end.usd or 0.0
