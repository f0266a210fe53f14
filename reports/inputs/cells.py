"""Scores of trials: the outcome table that is analysed, and the mean of each cell."""

from collections.abc import Callable, Iterable
from statistics import fmean

from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.outcomes import OutcomeRow, Outcomes
from loadbearing.outcomes.reserved_names import UNREADABLE
from loadbearing.reports.base.lookup import grouped
from loadbearing.reports.inputs.planned import planned_cells
from loadbearing.reports.model.play import CellRow


def score_of(trial: TrialRow, outcome: str) -> float | None:
    """The score that counts, by the plan's `outcome`: `success` or `score`; None for an error."""
    if trial.status == "error":
        return None
    return trial.score if outcome == "score" else float(trial.status == "success")


def outcome_table(trials: Iterable[TrialRow], plan: RunPlan) -> Outcomes:
    """The trials as the analysis takes them."""
    return _table(trials, plan, lambda trial: score_of(trial, plan.outcome))


def readable_table(trials: Iterable[TrialRow], plan: RunPlan) -> Outcomes | None:
    """The trials with those solved that were lost to replies which could not be read; None without any."""
    rows = list(trials)
    lost = {one.key for one in rows if one.status == "failure" and one.cause in UNREADABLE}
    if not lost:
        return None
    return _table(rows, plan, lambda trial: 1.0 if trial.key in lost else score_of(trial, plan.outcome))


def follow_table(trials: Iterable[TrialRow], plan: RunPlan) -> Outcomes:
    """The trials with `followed`, the share done as told, as their score; follow is then intact - counter.

    Trials whose intact items tell nothing are left out. An error is a row without a score where another
    trial of its arm and task has told something, and is left out elsewhere.
    """
    rows = list(trials)
    spoken = {(one.backbone, one.arm, one.task) for one in rows if one.followed is not None}
    told = (
        one
        for one in rows
        if one.followed is not None or (one.status == "error" and (one.backbone, one.arm, one.task) in spoken)
    )
    return _table(told, plan, lambda trial: trial.followed)


def _table(trials: Iterable[TrialRow], plan: RunPlan, score: Callable[[TrialRow], float | None]) -> Outcomes:
    rows = (
        OutcomeRow(
            backbone=trial.backbone,
            arm=trial.arm,
            condition=trial.condition,
            task=trial.task,
            cluster=plan.clusters.get(trial.task, ""),
            repeat=trial.repeat,
            score=score(trial),
            slot=trial.slot,
            empty_slot=trial.empty_slot,
        )
        for trial in trials
    )
    return Outcomes(tuple(rows))


def cell_rows(trials: Iterable[TrialRow], plan: RunPlan) -> tuple[CellRow, ...]:
    """Trials, errors and mean score of every cell that was played, in the plan's order."""
    groups = grouped(trials, lambda one: (one.backbone, one.arm, one.condition))
    places = [(backbone, *cell) for backbone in plan.backbones for cell in planned_cells(plan)]
    return tuple(_cell(place, groups[place], plan.outcome) for place in places if place in groups)


def _cell(place: tuple[str, str, str], trials: list[TrialRow], outcome: str) -> CellRow:
    scores = [score for score in (score_of(trial, outcome) for trial in trials) if score is not None]
    named = dict(zip(("backbone", "arm", "condition"), place, strict=True))
    lost, mean = len(trials) - len(scores), fmean(scores) if scores else None
    return CellRow(**named, n_trials=len(trials), n_errors=lost, score=mean)
