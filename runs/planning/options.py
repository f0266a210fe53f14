"""What a plan is asked for: an effect, a power, a budget."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from loadbearing.runs.errors import SpecFault


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan is asked for.

    Args:
        effect: the smallest effect that matters, in points of score.
        power: chance of showing it.
        budget_usd: what may be spent; None: not asked.
        task_usd: what a further task costs besides its episodes.
        simulate: made-up experiments on which the real test is run. None: a thousand, and none where the
            design is large; 0: none, the closed form alone.
    """

    effect: float = 0.10
    power: float = 0.80
    budget_usd: float | None = None
    task_usd: float = 0.0
    simulate: int | None = None

    def __post_init__(self) -> None:
        usd = 1 if self.budget_usd is None else self.budget_usd
        ranges = (
            ("--effect", self.effect, 0 < self.effect < 1, "a share of the score between 0 and 1"),
            ("--power", self.power, 0.5 <= self.power < 1, "a chance from 0.5 to below 1, as 0.8"),
            ("--budget", usd, 0 < usd < inf, "US dollars above 0"),
            ("--task-cost", self.task_usd, 0 <= self.task_usd < inf, "US dollars, 0 or more"),
            ("--simulate", self.simulate, 0 <= (self.simulate or 0) <= 100_000, "experiments, 0 to 100000"),
        )
        for option, got, fits, needed in ranges:
            if not fits:
                raise SpecFault(f"{option} takes {needed}; got {got!r}")
