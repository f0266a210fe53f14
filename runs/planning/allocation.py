"""Tasks against repeats, what a budget buys, and the cost of a decision in US dollars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

from loadbearing.analysis.planning.question import Question
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.planning.wanted import Wanted

REPEATS = (1, 2, 3, 5, 8, 10)
"""Numbers of repeats that are weighed against tasks."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a design costs, in dollars or in episodes: `fixed` + tasks x (`task` + repeats x `block`).

    Args:
        block: one repeat of one task, all its cells.
        task: a further task, besides its episodes.
        fixed: whatever the size: the preparation.
    """

    block: float
    task: float = 0.0
    fixed: float = 0.0

    def of(self, tasks: int, repeats: int) -> float:
        """The whole."""
        return self.fixed + tasks * (self.task + repeats * self.block)


@dataclass(frozen=True, slots=True)
class Allocation:
    """Tasks of which no two share a cluster, and what they cost; None: no number is enough, or no price."""

    repeats: int
    tasks: int | None
    episodes: int | None
    usd: float | None


@dataclass(frozen=True, slots=True)
class Budget:
    """The smallest contrast that a budget can show, and with which size.

    Args:
        unit: usd or episodes.
        best, detectable: None: not enough for any.
    """

    unit: str
    amount: float
    best: Allocation | None
    detectable: float | None


@dataclass(frozen=True, slots=True)
class Decision:
    """Dollars of one decision: the cells it rests on, at the tasks that the wanted effect takes.

    None where a price is not known, no number of tasks is enough, or the arm has no such decision.
    """

    utility: float | None
    drop: float | None
    contrast: float | None


def allocations(question: Question, wanted: Wanted, cells: int, usd: Cost | None) -> tuple[Allocation, ...]:
    """Tasks that the wanted effect takes, by repeats.

    Args:
        cells: of a block, over all backbones.
        usd: None where a price is not known.
    """
    needed = {repeats: question.in_family(repeats).tasks(wanted.effect, wanted.power) for repeats in REPEATS}
    return tuple(_allocation(repeats, n, cells, usd) for repeats, n in needed.items())


def budgets(question: Question, wanted: Wanted, cells: int, usd: Cost | None) -> tuple[Budget, ...]:
    """What may be spent, and the best that it can show.

    Raises:
        SpecFault: a budget in dollars without known costs above 0.
    """
    asked: list[tuple[str, float, Cost]] = []
    if wanted.budget_usd is not None:
        if usd is None or not usd.block + usd.task > 0:
            why = "no price is known for some model" if usd is None else "nothing of this plan costs anything"
            raise SpecFault(f"--budget needs costs above 0, and {why}; give budget.prices, or use --episodes")
        asked.append(("usd", wanted.budget_usd, usd))
    if wanted.budget_episodes is not None:
        asked.append(("episodes", wanted.budget_episodes, Cost(float(cells))))
    found = []
    for unit, amount, cost in asked:
        best, smallest = None, None
        for repeats in REPEATS:
            n = max(0, floor((amount - cost.fixed) / (cost.task + repeats * cost.block) + 1e-9))
            least = question.in_family(repeats).detectable(n, wanted.power) if n else None
            if least is not None and (smallest is None or least <= smallest):
                best, smallest = _allocation(repeats, n, cells, usd), least
        found.append(Budget(unit, amount, best, smallest))
    return tuple(found)


def decisions(
    tasks: Mapping[str, int | None],
    repeats: int,
    episode_usd: Mapping[str, float | None],
    pairs: tuple[tuple[str, str], ...],
) -> dict[str, Decision]:
    """Dollars of one decision, by arm.

    Args:
        tasks: that the wanted effect takes, by estimand.
        episode_usd: of one episode, by arm; None where it is not known.
        pairs: (treatment, control).
    """

    def usd(estimand: str, *arms: str) -> float | None:
        n, known = tasks[estimand], [one for one in map(episode_usd.get, arms) if one is not None]
        return None if n is None or len(known) < len(arms) else n * repeats * sum(known)

    control = dict(pairs)
    return {
        arm: Decision(
            utility=usd("utility", arm, "none"),
            drop=usd("drop", arm, arm),
            contrast=usd("contrast", arm, arm, control[arm], control[arm]) if arm in control else None,
        )
        for arm in episode_usd
        if arm != "none"
    }


def _allocation(repeats: int, tasks: int | None, cells: int, usd: Cost | None) -> Allocation:
    if tasks is None:
        return Allocation(repeats, None, None, None)
    cost = None if usd is None else usd.of(tasks, repeats)
    return Allocation(repeats, tasks, tasks * repeats * cells, cost)
