"""Scores of trials: the outcome table that is analysed, and the mean of each cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from statistics import fmean

from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.outcomes import OutcomeRow, Outcomes
from loadbearing.reports.inputs.planned import planned_cells
from loadbearing.reports.model.play import CellRow


def score_of(trial: TrialRow, outcome: str) -> float | None:
    """The score that counts, by the plan's `outcome`: `success` or `score`; None for an error."""
    if trial.status == "error":
        return None
    return trial.score if outcome == "score" else float(trial.status == "success")


def outcome_table(trials: Iterable[TrialRow], plan: RunPlan) -> Outcomes:
    """The trials as the analysis takes them."""
    return table_of(trials, plan, lambda trial: score_of(trial, plan.outcome))


def table_of(
    trials: Iterable[TrialRow], plan: RunPlan, score: Callable[[TrialRow], float | None]
) -> Outcomes:
    """The trials as a table, each with what `score` makes of it."""
    clusters = plan.clusters
    return Outcomes(
        tuple(
            OutcomeRow(
                backbone=trial.backbone,
                arm=trial.arm,
                condition=trial.condition,
                task=trial.task,
                cluster=clusters.get(trial.task, ""),
                repeat=trial.repeat,
                score=score(trial),
                slot=trial.slot,
                empty_slot=trial.empty_slot,
            )
            for trial in trials
        )
    )


def cell_rows(trials: Iterable[TrialRow], plan: RunPlan) -> tuple[CellRow, ...]:
    """Trials, errors and mean score of every cell that was played, in the plan's order."""
    groups: dict[tuple[str, str, str], list[float | None]] = defaultdict(list)
    for trial in trials:
        groups[trial.backbone, trial.arm, trial.condition].append(score_of(trial, plan.outcome))
    rows = []
    for place in ((backbone, *cell) for backbone in plan.backbones for cell in planned_cells(plan)):
        if place not in groups:
            continue
        scores = groups[place]
        scored = [score for score in scores if score is not None]
        rows.append(
            CellRow(
                backbone=place[0],
                arm=place[1],
                condition=place[2],
                n_trials=len(scores),
                n_errors=len(scores) - len(scored),
                score=fmean(scored) if scored else None,
            )
        )
    return tuple(rows)
