"""What a bench says, and how two peers are timed beside each other."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """One ratio, and what it should be.

    Args:
        detail: what was measured, with its units.
        bound: None where none is wanted.
        holds: the ratio is to be `at most` or `at least` the bound.
        spread: lowest and highest ratio of the repetitions; None where there was one.
    """

    name: str
    detail: str
    ratio: float
    bound: float | None = None
    holds: Literal["at most", "at least"] = "at most"
    spread: tuple[float, float] | None = None

    def line(self) -> str:
        """The figure in a line."""
        text = f"{self.name}: ratio {self.ratio:.2f}"
        if self.spread is not None:
            text += f" ({self.spread[0]:.2f} to {self.spread[1]:.2f})"
        if self.bound is not None:
            good = self.ratio <= self.bound if self.holds == "at most" else self.ratio >= self.bound
            text += f", wanted {self.holds} {self.bound:.2f}: {'yes' if good else 'NO'}"
        return f"{text}; {self.detail}"


@dataclass(frozen=True, slots=True)
class Spent:
    """What one piece of work took, in seconds on the clock and in seconds of this process."""

    wall_s: float
    cpu_s: float


def spent_by(work: Callable[[], object]) -> Spent:
    """Time one piece of work."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


@dataclass(frozen=True, slots=True)
class Beside:
    """Two peers, timed in turns."""

    ours: Sequence[Spent]
    peer: Sequence[Spent]

    @property
    def ours_s(self) -> float:
        """Median of the clock."""
        return median(one.wall_s for one in self.ours)

    @property
    def peer_s(self) -> float:
        """Median of the clock."""
        return median(one.wall_s for one in self.peer)

    @property
    def ratio(self) -> float:
        """Median of the ratios of neighbours: what disturbs the machine disturbs both."""
        return median(self._ratios())

    @property
    def cpu_ratio(self) -> float:
        """The same of processor time, which a busy machine disturbs less."""
        return median(a.cpu_s / b.cpu_s for a, b in zip(self.ours, self.peer, strict=True))

    @property
    def spread(self) -> tuple[float, float]:
        """Lowest and highest ratio."""
        return min(self._ratios()), max(self._ratios())

    def _ratios(self) -> list[float]:
        return [a.wall_s / b.wall_s for a, b in zip(self.ours, self.peer, strict=True)]


def beside(ours: Callable[[], Spent], peer: Callable[[], Spent], times: int) -> Beside:
    """Time both in turns; who goes first changes each time."""
    mine, theirs = [], []
    for number in range(times):
        if number % 2:
            theirs.append(peer())
            mine.append(ours())
        else:
            mine.append(ours())
            theirs.append(peer())
    return Beside(mine, theirs)
