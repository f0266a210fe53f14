"""Tasks against repeats under a model of cost, and what a budget can show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import floor, inf, isnan, sqrt

from loadbearing.analysis.planning.variance import Parts


@dataclass(frozen=True, slots=True)
class Cost:
    """What a design costs: `fixed` + tasks x (`task` + repeats x `block`), in dollars or in episodes.

    Args:
        block: one repeat of one task, all its cells.
        task: a further task, besides its episodes: finding, writing and checking it.
        fixed: whatever the size, such as collecting and condensing.

    Raises:
        ValueError: a cost is negative.
    """

    block: float
    task: float = 0.0
    fixed: float = 0.0

    def __post_init__(self) -> None:
        if not (self.block >= 0 and self.task >= 0 and self.fixed >= 0):
            raise ValueError(f"costs are 0 or more, got {self}")

    def of(self, n_tasks: int, repeats: int) -> float:
        """The whole."""
        return self.fixed + n_tasks * (self.task + repeats * self.block)

    def affordable(self, budget: float, repeats: int) -> int:
        """Tasks that a budget allows at so many repeats.

        Raises:
            ValueError: nothing costs anything, so that a budget is no limit.
        """
        each = self.task + repeats * self.block
        if not each > 0:
            raise ValueError("a budget needs costs above 0: nothing of this design costs anything")
        return max(0, floor((budget - self.fixed) / each + 1e-9))


@dataclass(frozen=True, slots=True)
class Choice:
    """One way of spending: so many tasks and repeats, and the smallest effect they detect (NaN: none)."""

    repeats: int
    tasks: int
    cost: float
    detectable: float


def best_repeats(parts: Parts, cost: Cost) -> float:
    """The number of repeats that buys the most precision for the money; infinite where tasks do not differ.

    R* = sqrt(w^2 c_task / (tau^2 c_block)): where a further task costs nothing but its episodes it is 0,
    and one repeat is best.

    Source: two-stage sampling, Cochran 1977, section 10.6; STATISTICS 4.
    """
    if cost.task == 0 or parts.repeat == 0:
        return 0.0
    if parts.task == 0 or cost.block == 0:
        return inf
    return sqrt(parts.repeat * cost.task / (parts.task * cost.block))


def choices(
    budget: float,
    cost: Cost,
    repeats: Iterable[int],
    detects: Callable[[int, int], float],
) -> tuple[Choice, ...]:
    """What a budget can show, for each number of repeats that it pays two tasks of.

    Args:
        budget: in the unit of `cost`.
        detects: smallest detectable effect of so many tasks and repeats.

    Raises:
        ValueError: nothing costs anything.
    """
    found = []
    for count in repeats:
        n = cost.affordable(budget, count)
        if n >= 2:
            found.append(Choice(count, n, cost.of(n, count), detects(n, count)))
    return tuple(found)


def best(found: Iterable[Choice]) -> Choice | None:
    """The choice that detects the smallest effect, of equals the one with more repeats; None without one."""
    able = [one for one in found if not isnan(one.detectable)]
    return min(able, key=lambda one: (one.detectable, -one.repeats), default=None)
