"""What stands beside a plan's power: unpaired designs, equivalence, dollars of a decision, the curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadbearing.analysis.planning.effective_tasks import independent
from loadbearing.analysis.planning.equivalence_power import equivalence_power, n_tasks_equivalent
from loadbearing.analysis.planning.question import Question, means_of
from loadbearing.analysis.planning.unpaired import unpaired_episodes
from loadbearing.runs.planning.power_questions import Asked, Wanted
from loadbearing.runs.planning.power_table import Sizes

CURVES = (1, 3, 5)
_POINTS = 12


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
                "tasks_apart": {
                    str(r): n_tasks_equivalent(
                        margin, r, parts, wanted.power, 0.0, alpha, grain=one.grain / r
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
    """Dollars of one decision, by arm: the cells it rests on, at the tasks that the wanted effect takes.

    No two of these tasks share a record or a family; None where a price is not known, or no number is enough.
    """
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


def _decision(one: Question, wanted: Wanted, sizes: Sizes, of: Mapping[str, int]) -> float | None:
    n = one.tasks(wanted.effect, sizes.repeats, independent(2))
    costs = [(sizes.episode_usd.get(arm), count) for arm, count in of.items()]
    known = [usd * count for usd, count in costs if usd is not None]
    if n is None or len(known) < len(costs):
        return None
    return round(n * sizes.repeats * sum(known), 4)
