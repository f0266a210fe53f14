"""What a line of progress says: how far, how fast, how long still, what it cost, and who is being asked."""

from collections.abc import Callable
from dataclasses import dataclass, field

from loadbearing.models.client.client import CallStats
from loadbearing.outcomes.count_words import how_many


@dataclass
class Stretch:
    """One stretch of work and its pace; `clock` tells seconds and only goes forward."""

    name: str
    total: int
    clock: Callable[[], float]
    done: int = 0
    errors: int = 0
    begun: float = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.clock()

    def step(self, steps: int, failed: int) -> None:
        """Count what was done, and how much of it ended as an error."""
        self.done, self.errors = self.done + steps, self.errors + failed

    def per_s(self) -> float | None:
        """Steps a second; None where nothing is known yet."""
        took = self.clock() - self.begun
        return self.done / took if took > 0 and self.done else None


def told(stretch: Stretch, stats: CallStats | None) -> str:
    """The whole line."""
    parts = [f"{stretch.name}: {stretch.done}/{stretch.total}"]
    if stretch.errors:
        parts.append(how_many(stretch.errors, "error"))
    rate = stretch.per_s()
    if rate is not None:
        parts.append(pace(rate))
        if stretch.done < stretch.total:
            parts.append(f"about {duration((stretch.total - stretch.done) / rate)} left")
    return ", ".join(parts + _spent(stats))


def pace(per_s: float) -> str:
    """Steps a second, or a minute where they are few."""
    return f"{per_s:.1f}/s" if per_s >= 1 else f"{60 * per_s:.1f}/min"


def duration(seconds: float) -> str:
    """A length of time in the unit that fits."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def money(usd: float) -> str:
    """US dollars, with more decimals where they are few."""
    return f"${usd:,.2f}" if usd == 0 or usd >= 0.1 else f"${usd:.4f}"


def _spent(stats: CallStats | None) -> list[str]:
    parts: list[str] = []
    if stats is None:
        return parts
    if stats.usd or stats.max_usd is not None or stats.unpriced:
        budget = "" if stats.max_usd is None else f" of {money(stats.max_usd)}"
        unknown = f" and {how_many(stats.unpriced, 'call')} without a known price" if stats.unpriced else ""
        parts.append(f"{money(stats.usd)}{budget}{unknown}")
    if stats.calls:
        cached = f" and {stats.cached} from the cache" if stats.cached else ""
        parts.append(how_many(stats.calls, "call") + cached)
    if stats.faults:
        kinds = sorted(stats.faults.items(), key=lambda one: (-one[1], one[0]))
        parts.append("faults: " + " ".join(f"{kind} {count}" for kind, count in kinds))
    for name, throttle in sorted(stats.slots_by_provider.items()):
        parts.append(f"{name} {throttle.active}/{throttle.limit}")
    return parts
