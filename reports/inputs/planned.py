"""What was planned: the cells of each arm, and the rules of the analysis."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.reserved_names import INTACT, NONE, WITHOUT


def planned_cells(plan: RunPlan) -> tuple[tuple[str, str], ...]:
    """(arm, condition) of every planned cell, in the plan's order; `none` has only `without`.

    An arm may have fewer kinds of damage than the run.
    """
    damages = [name for name in plan.conditions if name not in (WITHOUT, INTACT)]
    cells = [(NONE, WITHOUT)]
    for arm in (arm for arm in plan.arms if arm != NONE):
        own = plan.arm_conditions.get(arm, damages)
        cells += [(arm, INTACT), *((arm, name) for name in damages if name in own)]
    return tuple(cells)


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
    """Arms that cross two memories with two injections, with both levels; none where they do not."""
    injections = {injection for _, injection in levels.values()}
    crossed = [
        memory
        for memory in dict.fromkeys(memory for memory, _ in levels.values())
        if {injection for other, injection in levels.values() if other == memory} == injections
    ]
    if len(injections) != 2 or len(crossed) != 2:
        return ()
    return tuple((arm, pair) for arm, pair in levels.items() if pair[0] in crossed)
