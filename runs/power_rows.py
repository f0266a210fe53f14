"""The part of a plan about power, as data: rows that the table, the figure and the JSON share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np

from analysis.planning.allocation import Choice, Cost, best, best_repeats, choices
from analysis.planning.clusters import Clustering, independent
from analysis.planning.equivalence_power import equivalence_power, n_tasks_equivalent
from analysis.planning.parts import Parts
from analysis.planning.question import Question, means_of
from analysis.planning.sizing import size_by_simulation
from analysis.planning.unpaired import unpaired_episodes
from runs.fault import SpecFault
from runs.powering import REPEATS, Asked, Wanted

CURVES = (1, 3, 5)
_POINTS = 12


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
    rows = [_row(one, wanted, sizes) for one in asked.questions.values()]
    if wanted.simulate:
        rng = np.random.default_rng([seed, _STREAM])
        for row, one in zip(rows, asked.questions.values(), strict=True):
            row["simulated"] = _simulated(one, asked, wanted, sizes, rng)
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
        " tasks: further ones share the same records or families; tasks_apart: none shares one",
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
        rows.append({"repeats": repeats, "tasks": n, "tasks_apart": apart, "episodes": episodes, "usd": cost})
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


def paired_vs_unpaired(asked: Asked, wanted: Wanted, sizes: Sizes) -> list[dict[str, Any]]:
    """Episodes of one contrast by itself: every cell on the same tasks, or on tasks of its own."""
    rows = []
    for name, one in asked.questions.items():
        means = means_of(one, wanted.effect, asked.world.base, asked.world.control_drop)
        rates = np.clip(means[one.cells.weights[:, 0] != 0], 0.0, 1.0).tolist()
        apart = unpaired_episodes(wanted.effect, rates, wanted.power, one.alpha)
        row: dict[str, Any] = {"estimand": name, "effect": wanted.effect, "unpaired_episodes": apart}
        for repeats in dict.fromkeys((1, sizes.repeats)):
            n = one.tasks(wanted.effect, repeats, independent(2), alone=True)
            row[f"paired_tasks_r{repeats}"] = n
            row[f"paired_episodes_r{repeats}"] = None if n is None else n * repeats * len(rates)
        rows.append(row)
    return rows


def equivalence(asked: Asked, wanted: Wanted, sizes: Sizes, margin: float, alpha: float) -> dict[str, Any]:
    """`equivalence`: how likely `inert` is where the truth is 0, and what it takes."""
    rows = []
    for name in ("drop", "contrast"):
        one = asked.questions[name]
        parts, grain = one.reckoned.parts, one.grain / sizes.repeats
        n, repeats, clusters = sizes.clusters.n_tasks, sizes.repeats, sizes.clusters
        at_size = None
        if n >= 2:
            at_size = equivalence_power(margin, n, repeats, parts, 0.0, alpha, clusters, grain)
        rows.append(
            {
                "estimand": name,
                "power": None if at_size is None else round(at_size, 4),
                "tasks": {
                    str(r): n_tasks_equivalent(
                        margin, r, parts, wanted.power, 0.0, alpha, clusters, one.grain / r
                    )
                    for r in dict.fromkeys((1, repeats))
                },
            }
        )
    return {
        "margin": margin,
        "rows": rows,
        "is": "chance of ruling out an effect at the margin, where there is none, in one cell; `inert` asks"
        " for utility and no cancellation besides",
    }


def per_decision(asked: Asked, wanted: Wanted, sizes: Sizes) -> dict[str, Any]:
    """Dollars of one decision, by arm: the cells it rests on, at the tasks that the wanted effect takes."""
    control = dict(sizes.pairs)
    rows: dict[str, Any] = {}
    for arm in sizes.episode_usd:
        if arm == "none":
            continue
        cells = {"utility": {arm: 1, "none": 1}, "drop": {arm: 2}}
        if arm in control:
            cells["contrast"] = {arm: 2, control[arm]: 2}
        rows[arm] = {name: _decision(asked.questions[name], wanted, sizes, of) for name, of in cells.items()}
    return rows


def curve(asked: Asked, wanted: Wanted, sizes: Sizes) -> list[dict[str, Any]]:
    """The power curve: power in the family by tasks, for some numbers of repeats."""
    question = asked.questions["contrast"]
    needed = question.tasks(wanted.effect, 1, sizes.clusters) or 10 * sizes.clusters.n_tasks
    most = min(max(needed, 2 * sizes.clusters.n_tasks, 20), 100_000)
    places = sorted({int(n) for n in np.geomspace(5, most, _POINTS)} | {max(2, sizes.clusters.n_tasks)})
    return [
        {
            "repeats": repeats,
            "tasks": n,
            "power": round(question.power(wanted.effect, n, repeats, sizes.clusters), 4),
        }
        for repeats in dict.fromkeys(sorted((*CURVES, sizes.repeats)))
        for n in places
    ]


_STREAM = 41


def _row(one: Question, wanted: Wanted, sizes: Sizes) -> dict[str, Any]:
    n, repeats, clusters = sizes.clusters.n_tasks, sizes.repeats, sizes.clusters
    row: dict[str, Any] = {
        "estimand": one.contrast.estimand,
        "family": one.size,
        "alpha_each": round(one.each, 5),
        "effect": wanted.effect,
        "informative": round(one.informative(n, repeats), 1),
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
            "tasks_upper": one.tasks(wanted.effect, repeats, clusters, alone, cautious=True)
            if one.reckoned.n_contrasts
            else None,
        }
    return row


def _simulated(
    one: Question, asked: Asked, wanted: Wanted, sizes: Sizes, rng: np.random.Generator
) -> dict[str, Any]:
    try:
        found = size_by_simulation(
            one, wanted.effect, sizes.clusters, sizes.repeats, asked.world, wanted.simulate, rng
        )
    except ValueError as fault:
        return {"not_simulated": str(fault)}
    at = found.at_tasks
    return {
        "experiments": wanted.simulate,
        "base": round(asked.world.base, 4),
        "effect": round(found.truth.effect, 4),
        "parts": _of(found.truth.parts),
        "alone": round(found.at_size.alone, 4),
        "in_family": round(found.at_size.in_family, 4),
        "error": round(found.at_size.error, 4),
        "tasks": found.tasks,
        "power_at_tasks": None if at is None else round(at.in_family, 4),
    }


def _budget(question: Question, sizes: Sizes, cost: Cost, budget: float, unit: str) -> dict[str, Any]:
    def detects(n: int, repeats: int) -> float:
        found = question.detectable(n, repeats, sizes.clusters)
        return float("nan") if found is None else found

    found = choices(budget, cost, REPEATS, detects)
    first = best(found)
    return {
        unit: budget,
        "rows": [_choice(one, unit) for one in found],
        "best": None if first is None else _choice(first, unit),
    }


def _choice(one: Choice, unit: str) -> dict[str, Any]:
    known = one.detectable == one.detectable
    return {
        "repeats": one.repeats,
        "tasks": one.tasks,
        unit: round(one.cost, 4),
        "detectable": round(one.detectable, 4) if known else None,
    }


def _decision(one: Question, wanted: Wanted, sizes: Sizes, of: Mapping[str, int]) -> float | None:
    n = one.tasks(wanted.effect, sizes.repeats, sizes.clusters)
    costs = [(sizes.episode_usd.get(arm), count) for arm, count in of.items()]
    known = [usd * count for usd, count in costs if usd is not None]
    if n is None or len(known) < len(costs):
        return None
    return round(n * sizes.repeats * sum(known), 4)


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
