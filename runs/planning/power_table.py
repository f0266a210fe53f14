"""The part of a plan about power, as data: rows that the table, the figure and the JSON share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np

from loadbearing.analysis.planning.allocation import Choice, Cost, best, best_repeats, choices
from loadbearing.analysis.planning.effective_tasks import Clustering, independent
from loadbearing.analysis.planning.question import Question
from loadbearing.analysis.planning.sample_size import Sized, no_room, size_by_simulation
from loadbearing.analysis.planning.variance import Parts
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.planning.power_questions import REPEATS, Asked, Wanted

FEW = 10
"""Units (tasks, or clusters of them) expected to differ below which the closed form errs by more than .03."""
FEW_CLUSTERS = 8
"""Clusters below which it does in a family."""
EXPERIMENTS = 500
"""Simulated where units are few and no number was asked for; they tell power to .02."""
_MOST_SOUGHT = 1_000  # tasks beyond which nothing is looked for unasked


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the rows rest on.

    Args:
        cells: of a block, over all backbones.
        usd: cost in dollars; None where a price is not known.
        episode_usd: by arm, of one episode; None where it is not known.
        pairs: (treatment, control).
    """

    clusters: Clustering
    repeats: int
    cells: int
    usd: Cost | None
    episode_usd: Mapping[str, float | None]
    pairs: tuple[tuple[str, str], ...]


def power_rows(asked: Asked, wanted: Wanted, sizes: Sizes, alpha: float, seed: int) -> dict[str, Any]:
    """`power`: for each estimand what the plan's size can show, and what the wanted effect takes."""
    rng = generator(seed, Stream.POWER)
    rows = []
    for one in asked.questions.values():
        row = _row(one, wanted, sizes)
        row["no_room"] = no_room(one, wanted.effect, asked.world)
        simulated = _simulations(one, row, asked, wanted, sizes, rng)
        rows.append(row if simulated is None else {**row, "simulated": simulated})
    return {
        "effect": wanted.effect,
        "power": wanted.power,
        "alpha": alpha,
        "parts_are": asked.source,
        "parts": {name: _parts(one) for name, one in asked.questions.items()},
        "piloted": [
            {
                "estimand": one.contrast.estimand,
                "backbone": one.backbone,
                "arm": one.contrast.arm,
                "versus": one.contrast.versus,
                "condition": one.contrast.condition,
                "n_tasks": one.found.n_tasks,
                "n_clusters": one.found.n_clusters,
                **{name: _interval(getattr(one.found, name)) for name in ("task", "repeat", "cluster")},
            }
            for one in asked.pilot
        ],
        "rows": rows,
        "rows_are": "in_family: with step-down max-T, this contrast alone having an effect (a lower bound);"
        " tasks: further ones share the same records or families; tasks_apart: none shares one;"
        " utilities share the cell without memory, so that their power is above it",
    }


def allocation(asked: Asked, wanted: Wanted, sizes: Sizes) -> dict[str, Any]:
    """`allocation`: tasks against repeats for the wanted contrast, and what a budget can show.

    Raises:
        SpecFault: a budget in dollars without known costs above 0.
    """
    question = asked.questions["contrast"]
    parts, usd = question.reckoned.parts, sizes.usd
    rows = []
    for repeats in REPEATS:
        n = question.tasks(wanted.effect, repeats, sizes.clusters)
        apart = question.tasks(wanted.effect, repeats, independent(2))
        cost = None if n is None or usd is None else round(usd.of(n, repeats), 4)
        episodes = None if n is None else n * repeats * sizes.cells
        row = {"repeats": repeats, "tasks": n, "tasks_apart": apart, "episodes": episodes, "usd": cost}
        row["episodes_apart"] = None if apart is None else apart * repeats * sizes.cells
        row["usd_apart"] = None if apart is None or usd is None else round(usd.of(apart, repeats), 4)
        rows.append(row)
    ideal = None if usd is None else best_repeats(parts, usd)
    found: dict[str, Any] = {
        "estimand": "contrast",
        "effect": wanted.effect,
        "rows": rows,
        "best_repeats": None if ideal is None or isinf(ideal) else round(ideal, 2),
        "best_repeats_is": "sqrt(w2 x dollars a task / (tau2 x dollars of a repeat of all cells)); else 1",
    }
    if wanted.budget_usd is not None:
        if usd is None or not usd.block + usd.task > 0:
            why = "no price is known for some model" if usd is None else "nothing of this plan costs anything"
            raise SpecFault(f"--budget needs costs above 0, and {why}; give budget.prices, or use --episodes")
        found["budget"] = _budget(question, sizes, usd, wanted.budget_usd, "usd")
    if wanted.budget_episodes is not None:
        per_block = Cost(float(sizes.cells))
        found["budget_episodes"] = _budget(question, sizes, per_block, wanted.budget_episodes, "episodes")
    return found


def _row(one: Question, wanted: Wanted, sizes: Sizes) -> dict[str, Any]:
    n, repeats, clusters = sizes.clusters.n_tasks, sizes.repeats, sizes.clusters
    row: dict[str, Any] = {
        "estimand": one.contrast.estimand,
        "family": one.size,
        "alpha_each": round(one.each, 5),
        "effect": wanted.effect,
        "informative": round(one.informative(n, repeats, clusters), 1),
    }
    for key, alone in (("alone", True), ("in_family", False)):
        some = n >= 2
        at = round(one.power(wanted.effect, n, repeats, clusters, alone), 4) if some else 0.0
        least = one.detectable(n, repeats, clusters, alone) if some else None
        row[key] = {
            "power": at,
            "detectable": None if least is None else round(least, 4),
            "tasks": one.tasks(wanted.effect, repeats, clusters, alone),
            "tasks_apart": one.tasks(wanted.effect, repeats, independent(2), alone),
            "tasks_upper": None,
            "tasks_apart_upper": None,
        }
        if one.reckoned.n_contrasts:
            for name, held in (("tasks_upper", clusters), ("tasks_apart_upper", independent(2))):
                row[key][name] = one.tasks(wanted.effect, repeats, held, alone, cautious=True)
    return row


def _simulations(
    one: Question,
    row: Mapping[str, Any],
    asked: Asked,
    wanted: Wanted,
    sizes: Sizes,
    rng: np.random.Generator,
) -> dict[str, Any] | None:
    """What was asked to be simulated, or has to be: power at a size, and tasks, where the units are few."""
    if row["no_room"] is not None:
        return {"not_simulated": row["no_room"]} if wanted.simulate else None
    here = sizes.clusters
    at_size = here.n_tasks >= 2 and _few(one, here.n_tasks, sizes, here)
    searched = {
        name: alone
        for name, key, alone in (
            ("tasks_apart", "in_family", False),
            ("tasks_apart_alone", "alone", True),
        )
        if (apart := row[key]["tasks_apart"]) is not None and _few(one, apart, sizes, independent(2))
    }
    if here.n_tasks < 2 or not (wanted.simulate or at_size or searched):
        return None
    experiments = wanted.simulate or EXPERIMENTS

    def of(clusters: Clustering, search: bool, alone: bool = False) -> Sized:
        of_world = (clusters, sizes.repeats, asked.world, experiments, rng)
        return size_by_simulation(one, wanted.effect, *of_world, search, alone)

    shared = row["in_family"]["tasks"]
    sought = shared is not None and shared <= _MOST_SOUGHT and _few(one, shared, sizes, here)
    found = of(here, bool(wanted.simulate) or sought)
    said = {
        "experiments": experiments,
        "asked": bool(wanted.simulate),
        "few": at_size,
        "few_shared": sought,
        "base": round(asked.world.base, 4),
        "effect": round(found.truth.effect, 4),
        "parts": _of(found.truth.parts),
        "alone": round(found.at_size.alone, 4),
        "in_family": round(found.at_size.in_family, 4),
        "error": round(found.at_size.error, 4),
        "tasks": found.tasks,
        "power_at_tasks": None if found.at_tasks is None else round(found.at_tasks.in_family, 4),
    }
    for name, alone in searched.items():
        said[name] = of(independent(here.n_tasks), True, alone).tasks
    return said


def _few(one: Question, n: int, sizes: Sizes, clusters: Clustering) -> bool:
    """Whether so many tasks are too few units for the closed form."""
    held = clusters.scaled(n)
    small = one.size > 1 and held.n_clusters < FEW_CLUSTERS
    return small or one.informative(n, sizes.repeats, clusters) < FEW


def _budget(question: Question, sizes: Sizes, cost: Cost, budget: float, unit: str) -> dict[str, Any]:
    def found(clusters: Clustering) -> tuple[Choice, ...]:
        def detects(n: int, repeats: int) -> float:
            least = question.detectable(n, repeats, clusters)
            return float("nan") if least is None else least

        return choices(budget, cost, REPEATS, detects)

    shared, apart = found(sizes.clusters), found(independent(2))
    first, first_apart = best(shared), best(apart)
    return {
        unit: budget,
        "rows": [_choice(one, unit) for one in shared],
        "best": None if first is None else _choice(first, unit),
        "best_apart": None if first_apart is None else _choice(first_apart, unit),
    }


def _choice(one: Choice, unit: str) -> dict[str, Any]:
    known = one.detectable == one.detectable
    return {
        "repeats": one.repeats,
        "tasks": one.tasks,
        unit: round(one.cost, 4),
        "detectable": round(one.detectable, 4) if known else None,
    }


def _parts(one: Question) -> dict[str, Any]:
    said = {**_of(one.reckoned.parts), "how": one.reckoned.how}
    if one.reckoned.n_contrasts:
        said |= {
            "upper": _of(one.reckoned.upper),
            "contrasts": one.reckoned.n_contrasts,
            "tasks": one.reckoned.n_tasks,
        }
    return said


def _of(parts: Parts) -> dict[str, float]:
    return {"tau2": round(parts.task, 5), "w2": round(parts.repeat, 5), "cluster": round(parts.cluster, 5)}


def _interval(part: Any) -> dict[str, float] | None:
    if part is None:
        return None
    high = None if isinf(part.high) else round(part.high, 5)
    return {"estimate": round(part.estimate, 5), "low": round(part.low, 5), "high": high}
