"""The trials that results are made of: those of planned cells, in the plan's order, each kept light."""

from __future__ import annotations

from dataclasses import replace
from sys import intern
from typing import Any

from ledger.rows import TrialRow
from ledger.store import Ledger
from reports.planned import Plan, planned_cells

_SHOWN: dict[str, Any] = {"shown": True}
_SHADOW: dict[str, Any] = {"shown": False}


def read_played(ledger: Ledger, plan: Plan) -> tuple[TrialRow, ...]:
    """The last attempt of every planned trial.

    Blocks were played in a random order, perhaps several at a time; these come in the plan's. Of the
    firings only whether an item was shown, and whether one would have been, is kept: one entry each. Texts
    that recur are held once, so that many trials take little memory.
    """
    rank = {name: place for key in ("backbones", "arms") for place, name in enumerate(plan[key])}
    cells = frozenset(planned_cells(plan))
    trials = (
        _light(trial)
        for trial in ledger.trials()
        if trial.backbone in plan["backbones"] and (trial.arm, trial.condition) in cells
    )
    return tuple(sorted(trials, key=lambda t: (rank[t.backbone], t.task, t.repeat, rank[t.arm], t.condition)))


def _light(trial: TrialRow) -> TrialRow:
    seen = {bool(firing["shown"]) for firing in trial.firings}
    return replace(
        trial,
        backbone=intern(trial.backbone),
        arm=intern(trial.arm),
        condition=intern(trial.condition),
        task=intern(trial.task),
        family=intern(trial.family),
        cause=intern(trial.cause),
        slot=intern(trial.slot),
        record=intern(trial.record),
        firings=(*([_SHOWN] if True in seen else []), *([_SHADOW] if False in seen else [])),
    )
