"""What was planned: the cells of each arm, and the rules of the analysis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from analysis.plan import AnalysisPlan
from analysis.result import Analysis, Estimate

NONE, WITHOUT, INTACT = "none", "without", "intact"

Plan = Mapping[str, Any]
"""The fact `plan` of a ledger, stated before the first trial."""


def perturbations_of(plan: Plan, arm: str) -> tuple[str, ...]:
    """The damage planned for one arm, in the plan's order; an arm may have fewer kinds than the run."""
    own = (plan.get("arm_conditions") or {}).get(arm)
    named = (name for name in plan["conditions"] if name not in (WITHOUT, INTACT))
    return tuple(name for name in named if own is None or name in own)


def planned_cells(plan: Plan) -> tuple[tuple[str, str], ...]:
    """(arm, condition) of every planned cell, in the plan's order; `none` has only `without`."""
    arms = (arm for arm in plan["arms"] if arm != NONE)
    cells = ((arm, name) for arm in arms for name in (INTACT, *perturbations_of(plan, arm)))
    return ((NONE, WITHOUT), *cells)


def analysis_plan(plan: Plan) -> AnalysisPlan:
    """The rules of the analysis, as stated before the first trial."""
    return AnalysisPlan(
        arms=tuple(arm for arm in plan["arms"] if arm != NONE),
        conditions=tuple(name for name in plan["conditions"] if name not in (WITHOUT, INTACT)),
        pairs=tuple((treatment, control) for treatment, control in plan["pairs"]),
        margin=plan["margin"],
        alpha=plan["alpha"],
        flips=plan["flips"],
        seed=plan["seed"],
        primary=tuple(plan["primary"]),
    )


def planned_only(analysis: Analysis, plan: Plan) -> Analysis:
    """Without the estimates of cells that no arm was to have: the analysis crosses all with all."""
    cells = frozenset(planned_cells(plan))
    return replace(analysis, estimates=tuple(e for e in analysis.estimates if _planned(e, cells)))


def _planned(estimate: Estimate, cells: frozenset[tuple[str, str]]) -> bool:
    if estimate.estimand == "utility":
        return True
    arms = (estimate.arm, estimate.versus) if estimate.estimand == "contrast" else (estimate.arm,)
    return all((arm, estimate.condition) in cells for arm in arms)
