"""What was planned (cells, rules of the analysis), and the trials of it that were played, each kept light."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Literal

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.ledger.rows import ExposureEntry, FiringEntry, TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.schema import LedgerFault
from loadbearing.ledger.store import Ledger
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


_FIRED = {shown: FiringEntry(step=0, item=0, why="", shown=shown) for shown in (True, False)}


def read_played(ledger: Ledger, plan: RunPlan) -> tuple[TrialRow, ...]:
    """The last attempt of every planned trial, in the plan's order; blocks were played in a random one.

    Of the firings only whether an item was shown, and whether one would have been, is kept: one entry each.
    Of the exposures what became of each item is kept, and not when.

    Raises:
        LedgerFault: a trial stands twice, or its score is none.
    """
    rank = {name: place for names in (plan.backbones, plan.arms) for place, name in enumerate(names)}
    cells = frozenset(planned_cells(plan))
    trials = (
        _light(trial)
        for trial in ledger.trials()
        if trial.backbone in plan.backbones and (trial.arm, trial.condition) in cells
    )
    read = sorted(trials, key=lambda t: (rank[t.backbone], t.task, t.repeat, rank[t.arm], t.condition))
    seen: set[tuple[str, str, str, str, int]] = set()
    for one in read:
        # no run writes such rows: somebody changed the file behind the ledger's back
        place = (one.backbone, one.arm, one.condition, one.task, one.repeat)
        if place in seen:
            raise LedgerFault(f"a ledger that holds each trial once is needed; this has {place!r} twice")
        if one.score is not None and not 0.0 <= one.score <= 1.0:
            raise LedgerFault(f"a ledger with scores in [0, 1] is needed; {place!r} has {one.score!r}")
        seen.add(place)
    return tuple(read)


def _light(trial: TrialRow) -> TrialRow:
    seen = {bool(firing["shown"]) for firing in trial.firings}
    return replace(
        trial,
        firings=tuple(entry for shown, entry in _FIRED.items() if shown in seen),
        exposures=tuple(_became(*(one[name] is not None for name in _CAME)) for one in trial.exposures),
    )


_CAME: tuple[Literal["shown", "fired", "cited", "acted"], ...] = ("shown", "fired", "cited", "acted")


@cache
def _became(*came: bool) -> ExposureEntry:
    """One of the few entries there are: turn 0 for what came."""
    shown, fired, cited, acted = (0 if one else None for one in came)
    return ExposureEntry(item=0, shown=shown, fired=fired, cited=cited, acted=acted)
