"""The cells of a run as rows of its results."""

from collections.abc import Iterable
from statistics import fmean

from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.grouping import group_by
from memtrial.protocol.run_cells import planned_cells, score_of
from memtrial.views.rows.play_rows import CellRow


def cell_rows(trials: Iterable[TrialRow], plan: RunPlan) -> tuple[CellRow, ...]:
    """Trials, errors and mean score of every cell that was played, in the plan's order."""
    groups = group_by(trials, lambda trial: (trial.backbone, trial.arm, trial.condition))
    places = [(backbone, *cell) for backbone in plan.backbones for cell in planned_cells(plan)]
    return tuple(_cell(place, groups[place], plan.outcome) for place in places if place in groups)


def _cell(place: tuple[str, str, str], trials: list[TrialRow], outcome: str) -> CellRow:
    scores = [score for score in (score_of(trial, outcome) for trial in trials) if score is not None]
    named = dict(zip(("backbone", "arm", "condition"), place, strict=True))
    lost, mean = len(trials) - len(scores), fmean(scores) if scores else None
    return CellRow(**named, n_trials=len(trials), n_errors=lost, score=mean)
