"""What a plan can show, by estimand: in closed form, and by simulation where that is asked for or needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadbearing.analysis.planning.effective_tasks import Clustering, independent
from loadbearing.analysis.planning.made_up_tasks import make_up, mean_scores, no_room
from loadbearing.analysis.planning.power import unpaired_episodes
from loadbearing.analysis.planning.question import Question, weights_of
from loadbearing.analysis.planning.simulation import Simulation
from loadbearing.analysis.planning.variance import Parts
from loadbearing.reports.figures.power_curve import CurvePoint
from loadbearing.runs.planning.questions import Asked
from loadbearing.runs.planning.wanted import Wanted

FEW, UNEVEN, EXTREME = 20, 2.0, 0.2
"""With fewer units that differ, with clusters whose sizes differ more (mean size of a task's cluster over
mean size) and with base rates nearer to 0 or 1 the closed form errs by more than .03: it is simulated."""
EXPERIMENTS = 400
"""Simulated where no number was asked for; they tell power to .025."""
CURVES, POINTS = (1, 3, 5), 12
_MOST_SOUGHT = 1_000  # tasks beyond which none are looked for unasked
_STREAM = 41


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
        effective_tasks: independent tasks that tell as much as the planned ones.
        power: for the wanted effect in its family, if this contrast alone has an effect: a lower bound.
        detectable: the smallest effect with the wanted power in its family, by the closed form; None: none.
        detectable_alone: the same for a test by itself.
        tasks: that the wanted effect takes, if no two share a cluster; None: no number is enough.
        tasks_sharing: by the closed form, if they fall into the planned clusters.
        inert: chance that no effect is found to be none, to the margin.
        inert_tasks: that this takes for the wanted power, if no two share a cluster.
        paired_episodes, unpaired_episodes: of all its cells for a test by itself, one repeat; with other
            tasks in each cell.
        simulated: where it is there, power and tasks are its own.
        no_room: why there cannot be such an effect; None where there can.
    """

    estimand: str
    family: int
    parts: Parts
    effective_tasks: float
    power: float
    detectable: float | None
    detectable_alone: float | None
    tasks: int | None
    tasks_sharing: int | None
    inert: float
    inert_tasks: int | None
    paired_episodes: int | None
    unpaired_episodes: int
    simulated: Simulated | None
    no_room: str | None


def power_row(
    name: str, asked: Asked, wanted: Wanted, clusters: Clustering, repeats: int, margin: float, seed: int
) -> PowerRow:
    """The row of one estimand.

    Args:
        clusters: of the planned tasks.
        margin: of equivalence.
        seed: of the simulation.
    """
    one, n = asked.questions[name], clusters.n_tasks
    in_family, alone = one.in_family(repeats, clusters), one.alone(repeats, clusters)
    tasks = one.in_family(repeats).tasks(wanted.effect, wanted.power)
    once = one.alone(1).tasks(wanted.effect, wanted.power)
    weights, rates = weights_of(one.family)[0][:, 0], mean_scores(one, wanted.effect, asked.base)
    rates = rates[weights != 0].clip(0.0, 1.0)
    room, simulated = no_room(one, wanted.effect, asked.base), None
    if room is None and n > 1:
        rng = np.random.default_rng([seed, _STREAM, *name.encode()])
        simulated = _simulated(one, asked, wanted, clusters, repeats, tasks, rng)
    return PowerRow(
        estimand=name,
        family=one.size,
        parts=one.parts,
        effective_tasks=clusters.effective(one.parts.icc(repeats)),
        power=in_family.power(wanted.effect, n) if simulated is None else simulated.power,
        detectable=in_family.detectable(n, wanted.power),
        detectable_alone=alone.detectable(n, wanted.power),
        tasks=tasks if simulated is None or simulated.tasks is None else simulated.tasks,
        tasks_sharing=in_family.tasks(wanted.effect, wanted.power),
        inert=alone.equivalence_power(margin, n),
        inert_tasks=one.alone(repeats).tasks_equivalent(margin, wanted.power),
        paired_episodes=None if once is None else once * len(rates),
        unpaired_episodes=unpaired_episodes(wanted.effect, rates.tolist(), one.alpha, wanted.power),
        simulated=simulated,
        no_room=room,
    )


def _simulated(
    one: Question,
    asked: Asked,
    wanted: Wanted,
    clusters: Clustering,
    repeats: int,
    tasks: int | None,
    rng: np.random.Generator,
) -> Simulated | None:
    """The real test on made-up data, where it is asked for or the closed form fails; else None."""

    def few(held: Clustering) -> bool:
        uneven = held.kish_size * held.n_clusters > UNEVEN * held.n_tasks
        extreme = not EXTREME <= asked.base <= 1 - EXTREME
        return uneven or extreme or one.informative(wanted.effect, repeats, held) < FEW

    sought = tasks is not None and tasks <= _MOST_SOUGHT and few(independent(tasks))
    if wanted.simulate == 0 or not (wanted.simulate or sought or few(clusters)):
        return None
    made_up = make_up(one, wanted.effect, asked.base, asked.dense)
    simulation = Simulation(made_up, repeats, one.alpha, wanted.simulate or EXPERIMENTS, rng)
    power, enough = simulation.power(clusters), None
    if tasks is not None and (wanted.simulate or sought):
        enough = simulation.enough(wanted.power, tasks)
    return Simulated(simulation.experiments, power, simulation.error(power), enough)


def curve_of(
    question: Question, wanted: Wanted, clusters: Clustering, repeats: int
) -> tuple[CurvePoint, ...]:
    """Power in the family by tasks, for some numbers of repeats, by the closed form."""
    n = clusters.n_tasks
    needed = question.in_family(1, clusters).tasks(wanted.effect, wanted.power) or 10 * n
    most = min(max(needed, 2 * n, 20), 100_000)
    places = sorted({int(place) for place in np.geomspace(5, most, POINTS)} | {max(2, n)})
    return tuple(
        CurvePoint(count, place, question.in_family(count, clusters).power(wanted.effect, place))
        for count in sorted({*CURVES, repeats})
        for place in places
    )
