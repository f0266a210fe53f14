"""Sizes by simulation: the scenario of a question, its power, and the tasks that reach the wanted one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

import numpy as np

from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.question import Question, means_of
from loadbearing.analysis.planning.scenario import Scenario, Truth, tuned
from loadbearing.analysis.planning.simulation import SimulatedPower, simulated_power

_ROUNDS = 6
_MOST_SCORES = 300_000  # tasks x cells of one experiment beyond which nothing is simulated
_REACH = 2.4  # normal quantile of a small family's level: only the speed of the search depends on it


@dataclass(frozen=True, slots=True)
class World:
    """The scores that a simulation reckons with.

    Args:
        base: mean score of the intact cells, between 0 and 1.
        control_drop: the control's own drop, in a contrast of drops.
        noise: variance of one score as a share of p(1-p): 1 for success or failure.
    """

    base: float = 0.5
    control_drop: float = 0.05
    noise: float = 1.0


@dataclass(frozen=True, slots=True)
class Sized:
    """What simulation says.

    Args:
        at_size: power at the plan's own size.
        tasks: the smallest simulated number of tasks with the wanted power in the family, to about 2 %; None
            where none was found.
        at_tasks: the power there.
        truth: effect and variance parts of the simulated world, which are as near to those wanted as a
            world of probabilities allows.
    """

    at_size: SimulatedPower
    tasks: int | None
    at_tasks: SimulatedPower | None
    truth: Truth


def scenario_of(question: Question, effect: float, world: World) -> Scenario:
    """A world in which one contrast of the family has the effect and the others have none.

    Raises:
        ValueError: there is no room for the effect: the means would not lie between 0 and 1.
    """
    means = means_of(question, effect, world.base, world.control_drop)
    cells = question.cells
    return tuned(cells.weights, means, cells.damaged, question.reckoned.parts, world.noise)


def no_room(question: Question, effect: float, world: World) -> str | None:
    """Why a world has no room for the effect; None where it has."""
    means = means_of(question, effect, world.base, world.control_drop)
    if bool(((means > 0) & (means < 1)).all()):
        return None
    most = effect + float(min(means.min(), 0.0))
    return (
        f"no room for an effect of {effect:g}: at base rate {world.base:.2f} it is below {most:.2f};"
        " choose a smaller --effect"
    )


def size_by_simulation(
    question: Question,
    effect: float,
    clusters: Clustering,
    repeats: int,
    world: World,
    experiments: int,
    rng: np.random.Generator,
    search: bool = True,
    alone: bool = False,
) -> Sized:
    """Simulate at the plan's size, and look for the tasks that the wanted power takes.

    Args:
        clusters: of the plan's tasks.
        search: whether to look for them.
        alone: the contrast is tested by itself.
        experiments: a simulation; 2,000 tell power to .01.

    Raises:
        ValueError: there is no room for the effect, or no experiment.
    """
    scenario = scenario_of(question, effect, world)
    scenario = scenario.of_first() if alone else scenario

    def at(n: int) -> SimulatedPower:
        return simulated_power(scenario, clusters.scaled(n), repeats, experiments, rng, question.alpha)

    at_size = at(clusters.n_tasks)
    if not search:
        return Sized(at_size, None, None, scenario.truth())
    first = question.tasks(effect, repeats, clusters, alone)
    tried = {} if first is None else dict(_tried(question.wanted, first, at, len(scenario.shift)))
    enough = {n: found for n, found in tried.items() if found.in_family >= question.wanted - found.error}
    tasks = min(enough, default=None)
    return Sized(at_size, tasks, None if tasks is None else enough[tasks], scenario.truth())


def _tried(
    wanted: float, first: int, at: Callable[[int], SimulatedPower], n_cells: int
) -> Iterator[tuple[int, SimulatedPower]]:
    """Numbers of tasks and their power, each from the one before by the rule that precision goes with n."""
    normal = NormalDist()
    seen: set[int] = set()
    n = first
    for _ in range(_ROUNDS):
        if n in seen or n * n_cells > _MOST_SCORES:
            return
        seen.add(n)
        found = at(n)
        yield n, found
        if abs(found.in_family - wanted) <= found.error:
            return
        reached = normal.inv_cdf(min(max(found.in_family, 0.02), 0.98))
        ratio = (normal.inv_cdf(wanted) + _REACH) / max(reached + _REACH, 0.3)
        n = max(2, ceil(n * min(max(ratio**2, 0.5), 2.0)))
