"""What a plan can show, by estimand: simulated with the real test, and in closed form for orientation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.made_up_tasks import make_up, mean_scores, no_room
from loadbearing.analysis.planning.power import unpaired_episodes
from loadbearing.analysis.planning.question import weights_of
from loadbearing.analysis.planning.simulation import Simulation
from loadbearing.analysis.planning.variance import Parts
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.reports.figures.power_curve import CurvePoint
from loadbearing.runs.planning.questions import Asked
from loadbearing.runs.planning.wanted import Wanted

EXPERIMENTS, SEARCHED = 1_000, 300
"""Simulated where no number was asked for: of the planned tasks, which tells power to .016, and of each
number of tasks that is tried."""
MOST_SCORES = 10_000
"""Tasks x cells of one experiment beyond which nothing is simulated unasked: the formula serves there."""
CURVES, POINTS = (1, 3, 5), 12


@dataclass(frozen=True, slots=True)
class Size:
    """What is planned: tasks, as they fall into clusters, and repeats of each cell."""

    clusters: Clustering
    repeats: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """What the real test did on made-up data.

    Args:
        power: with the planned tasks.
        error: its Monte Carlo standard error.
        tasks: of which no two share a cluster, for the wanted power; None: not looked for, or not found.
    """

    experiments: int
    power: float
    error: float
    tasks: int | None


@dataclass(frozen=True, slots=True)
class PowerRow:
    """What the plan can show about one estimand.

    Args:
        family: contrasts that are tested together.
        parts: variance parts of one of them.
        power: for the wanted effect in its family, if this contrast alone has an effect: a lower bound.
        detectable: the smallest effect with the wanted power in its family, by the closed form; None: none.
        detectable_alone: the same for a test by itself.
        tasks: that the wanted effect takes, if no two share a cluster; None: no number is enough.
        tasks_upper: by the closed form, at the upper 80 % limit of the pilot's variance; None: no pilot, or
            no number is enough.
        tasks_sharing: by the closed form, if they fall into the planned clusters.
        inert: chance that no effect is found to be none, to the margin.
        inert_tasks: that this takes for the wanted power, if no two share a cluster.
        paired_episodes, unpaired_episodes: of all its cells for a test by itself, one repeat; with other
            tasks in each cell.
        simulated: where it is there, its power is the power, and its tasks, where looked for, the tasks.
        no_room: why there cannot be such an effect; None where there can.
    """

    estimand: str
    family: int
    parts: Parts
    power: float
    detectable: float | None
    detectable_alone: float | None
    tasks: int | None
    tasks_upper: int | None
    tasks_sharing: int | None
    inert: float
    inert_tasks: int | None
    paired_episodes: int | None
    unpaired_episodes: int
    simulated: Simulated | None
    no_room: str | None


def power_row(name: str, asked: Asked, wanted: Wanted, size: Size, seed: int, answer: bool) -> PowerRow:
    """The row of one estimand.

    Args:
        seed: of the simulation.
        answer: whether it is the estimand that the answer is about, whose tasks are looked for unasked.
    """
    one, n, repeats = asked.questions[name], size.clusters.n_tasks, size.repeats
    in_family, alone = one.in_family(repeats, size.clusters), one.alone(repeats, size.clusters)
    tasks = one.in_family(repeats).tasks(wanted.effect, wanted.power)
    once = one.alone(1).tasks(wanted.effect, wanted.power)
    weights, rates = weights_of(one.family)[0][:, 0], mean_scores(one, wanted.effect, asked.base)
    rates, upper = rates[weights != 0].clip(0.0, 1.0), None
    if one.pilot_units:
        upper = one.cautious().in_family(repeats).tasks(wanted.effect, wanted.power)
    room, simulated = no_room(one, wanted.effect, asked.base), None
    if room is None and n > 1:
        simulated = _simulated(name, asked, wanted, size, seed, tasks if answer or wanted.simulate else None)
    return PowerRow(
        estimand=name,
        family=one.size,
        parts=one.parts,
        power=in_family.power(wanted.effect, n) if simulated is None else simulated.power,
        detectable=in_family.detectable(n, wanted.power),
        detectable_alone=alone.detectable(n, wanted.power),
        tasks=tasks if simulated is None or simulated.tasks is None else simulated.tasks,
        tasks_upper=upper,
        tasks_sharing=in_family.tasks(wanted.effect, wanted.power),
        inert=alone.equivalence_power(asked.margin, n),
        inert_tasks=one.alone(repeats).tasks_equivalent(asked.margin, wanted.power),
        paired_episodes=None if once is None else once * len(rates),
        unpaired_episodes=unpaired_episodes(wanted.effect, rates.tolist(), one.alpha, wanted.power),
        simulated=simulated,
        no_room=room,
    )


def _simulated(
    name: str, asked: Asked, wanted: Wanted, size: Size, seed: int, first: int | None
) -> Simulated | None:
    """The real test on made-up data; None where it is not wanted, or takes long and was not asked for.

    Args:
        first: tasks from which those of the wanted power are looked for; None: not looked for.
    """
    one = asked.questions[name]
    most = MOST_SCORES / len(weights_of(one.family)[0]) if wanted.simulate is None else float("inf")
    if wanted.simulate == 0 or size.clusters.n_tasks > most:
        return None
    rng = generator(seed, Stream.POWER, *name.encode())
    made_up = make_up(one, wanted.effect, asked.base, asked.dense)
    simulation = Simulation(made_up, size.repeats, one.alpha, wanted.simulate or EXPERIMENTS, rng)
    power, enough = simulation.power(size.clusters), None
    if first is not None and first <= most and (wanted.simulate or power < wanted.power):
        search = replace(simulation, experiments=wanted.simulate or SEARCHED)
        enough = search.enough(wanted.power, first)
    return Simulated(simulation.experiments, power, simulation.error(power), enough)


def curve_of(asked: Asked, wanted: Wanted, size: Size) -> tuple[CurvePoint, ...]:
    """Power of a contrast in its family by tasks, for some numbers of repeats, by the closed form."""
    n, question = size.clusters.n_tasks, asked.questions["contrast"]
    needed = question.in_family(1, size.clusters).tasks(wanted.effect, wanted.power) or 10 * n
    most = min(max(needed, 2 * n, 20), 100_000)
    places = sorted({int(place) for place in np.geomspace(5, most, POINTS)} | {max(2, n)})
    return tuple(
        CurvePoint(repeats, place, question.in_family(repeats, size.clusters).power(wanted.effect, place))
        for repeats in sorted({*CURVES, size.repeats})
        for place in places
    )
