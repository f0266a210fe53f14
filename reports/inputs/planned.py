"""What was planned: the cells of each arm, and the rules of the analysis."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.reserved_names import INTACT, NONE, WITHOUT


def perturbations_of(plan: RunPlan, arm: str) -> tuple[str, ...]:
    """The damage planned for one arm, in the plan's order; an arm may have fewer kinds than the run."""
    own = plan.arm_conditions.get(arm)
    named = (name for name in plan.conditions if name not in (WITHOUT, INTACT))
    return tuple(name for name in named if own is None or name in own)


def planned_cells(plan: RunPlan) -> tuple[tuple[str, str], ...]:
    """(arm, condition) of every planned cell, in the plan's order; `none` has only `without`."""
    arms = (arm for arm in plan.arms if arm != NONE)
    cells = ((arm, name) for arm in arms for name in (INTACT, *perturbations_of(plan, arm)))
    return ((NONE, WITHOUT), *cells)


def analysis_plan(plan: RunPlan) -> AnalysisPlan:
    """The rules of the analysis, as stated before the first trial."""
    return AnalysisPlan(
        arms=tuple(arm for arm in plan.arms if arm != NONE),
        conditions=tuple(name for name in plan.conditions if name not in (WITHOUT, INTACT)),
        pairs=plan.pairs,
        margin=plan.margin,
        alpha=plan.alpha,
        flips=plan.flips,
        seed=plan.seed,
        primary=plan.primary,
        # a ledger of an earlier version names no effects; then any damage has to serve
        effects=tuple(plan.effects.items()),
        positive_control=plan.positive_control,
        factors=("memory", "injection"),
        levels=_crossing(plan.levels),
        draws=plan.draws,
        cells=planned_cells(plan),
    )


def _crossing(levels: Mapping[str, tuple[str, str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Arms that cross two memories with two injections; none where they do not.

    Args:
        levels: memory and injection of each arm.
    """
    injections = {injection for _, injection in levels.values()}
    crossed = [
        memory
        for memory in dict.fromkeys(memory for memory, _ in levels.values())
        if {injection for other, injection in levels.values() if other == memory} == injections
    ]
    if len(injections) != 2 or len(crossed) != 2:
        return ()
    return tuple((arm, pair) for arm, pair in levels.items() if pair[0] in crossed)
