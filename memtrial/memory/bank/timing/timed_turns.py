"""Calls that are timed in turns, so that what disturbs the machine disturbs all; their percentiles."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Name = TypeVar("Name", bound=str)
Work = Callable[[], object]
BLOCK = 10
"""Calls in a row: each of them finds in the processor's cache what the one before has left there."""
FEWEST = 5
"""Calls of whatever takes long."""


@dataclass(frozen=True, slots=True)
class CallTimes:
    """What one contestant took, in milliseconds.

    Args:
        calls: how many were timed.
    """

    calls: int
    p50: float
    p95: float
    p99: float


def summarise(milliseconds: Sequence[float]) -> CallTimes:
    """Percentiles of at least one time, between neighbours in proportion."""
    p50, p95, p99 = (float(value) for value in np.percentile(milliseconds, (50, 95, 99)))
    return CallTimes(len(milliseconds), p50, p95, p99)


def time_turns(works: Mapping[Name, Work], calls: int, budget_s: float) -> dict[Name, CallTimes]:
    """Time each contestant so many times, in turns of a block of calls each.

    One that has used its budget stops after `FEWEST` calls or more. Before each block one call is made that
    counts for nothing, unless a call takes a tenth of the budget.
    """
    taken: dict[Name, list[float]] = {name: [] for name in works}
    while open_works := {
        name: work for name, work in works.items() if _goes_on(taken[name], calls, budget_s)
    }:
        for name, work in open_works.items():
            times = taken[name]
            if not times or times[-1] < budget_s * 100:
                work()
            for _ in range(BLOCK):
                if not _goes_on(times, calls, budget_s):
                    break
                times.append(time_call(work))
    return {name: summarise(times) for name, times in taken.items()}


def time_call(work: Work) -> float:
    """Milliseconds of one call."""
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def _goes_on(times: Sequence[float], calls: int, budget_s: float) -> bool:
    return len(times) < calls and (len(times) < FEWEST or sum(times) < budget_s * 1000)
