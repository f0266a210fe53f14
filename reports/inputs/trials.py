"""The trials that results are made of: those of planned cells, in the plan's order, each kept light."""

from __future__ import annotations

from dataclasses import replace

from loadbearing.ledger.rows import FiringEntry, TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault
from loadbearing.reports.inputs.planned import planned_cells

_FIRED = {shown: FiringEntry(step=0, item=0, why="", shown=shown) for shown in (True, False)}


def read_played(ledger: Ledger, plan: RunPlan) -> tuple[TrialRow, ...]:
    """The last attempt of every planned trial, in the plan's order; blocks were played in a random one.

    Of the firings only whether an item was shown, and whether one would have been, is kept: one entry each.

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
    return replace(trial, firings=tuple(entry for shown, entry in _FIRED.items() if shown in seen))
