"""Whether the agent acted as told: the table on which follow is estimated."""

from __future__ import annotations

from collections.abc import Iterable

from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.reports.inputs.cells import table_of


def follow_table(trials: Iterable[TrialRow], plan: RunPlan) -> Outcomes:
    """The trials with `followed` as their score; follow is then intact - counter.

    Trials whose intact items tell nothing are left out. An error is a row without a score where another
    trial of its arm and task has told something, and is left out elsewhere.
    """
    rows = list(trials)
    spoken = {_place(trial) for trial in rows if trial.followed is not None}
    told = [
        trial
        for trial in rows
        if trial.followed is not None or (trial.status == "error" and _place(trial) in spoken)
    ]
    return table_of(told, plan, lambda trial: trial.followed)


def _place(trial: TrialRow) -> tuple[str, str, str]:
    return trial.backbone, trial.arm, trial.task
