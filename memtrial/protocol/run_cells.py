"""The planned cells, the trials of them that were played, and their scores as the analysis takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.behaviour.acts import Acts
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import Status, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.outcomes import OUTCOME_ROW, Outcomes
from memtrial.outcomes.reserved_names import INTACT, NONE, UNREADABLE, WITHHOLD, WITHOUT
from memtrial.protocol.arm_factors import arm_factors
from memtrial.protocols import LedgerStore

if TYPE_CHECKING:
    import polars as pl

_OF_TRIAL = tuple(name for name in OUTCOME_ROW if name not in ("cluster", "score"))


def score_of(trial: TrialRow, outcome: str) -> float | None:
    """The score of a trial that counts, as `counted_score` says."""
    return counted_score(trial.status, trial.score, outcome)


def counted_score(status: Status, score: float | None, outcome: str) -> float | None:
    """The score that counts, by the plan's `outcome`: `success` or `score`; None for an error."""
    if status == "error":
        return None
    return score if outcome == "score" else float(status == "success")


def outcome_table(trials: Iterable[TrialRow], plan: RunPlan) -> Outcomes:
    """The trials as the analysis takes them."""
    return _table(trials, plan, lambda trial: score_of(trial, plan.outcome))


def readable_table(trials: Iterable[TrialRow], plan: RunPlan) -> Outcomes | None:
    """The trials with those solved that were lost to replies which could not be read; None without any."""
    rows = list(trials)
    lost = {row.key for row in rows if row.status == "failure" and row.cause in UNREADABLE}
    if not lost:
        return None
    return _table(rows, plan, lambda trial: 1.0 if trial.key in lost else score_of(trial, plan.outcome))


def acts_tables(trials: Iterable[TrialRow], plan: RunPlan) -> Acts:
    """The trials with how soon it was done what their memory tells as their score."""
    rows = list(trials)
    frame = _frame(rows, plan)
    return Acts(
        _acts_table(rows, frame, [trial.did_told for trial in rows]),
        _acts_table(rows, frame, [trial.did_other for trial in rows]),
        _acts_table(rows, frame, list(map(_score_obeyed, rows))),
    )


def _score_obeyed(trial: TrialRow) -> float | None:
    kept = None if trial.did_avoided is None else 1.0 - trial.did_avoided
    shares = [share for share in (trial.did_told, kept) if share is not None]
    return sum(shares) / len(shares) if shares else None


def _acts_table(rows: Sequence[TrialRow], frame: pl.DataFrame, shares: Sequence[float | None]) -> Outcomes:
    """Trials whose memory tells nothing are left out. An error is a row without a score where another trial
    of its arm and task has told something, and is left out elsewhere."""
    import polars as pl

    pairs = list(zip(rows, shares, strict=True))
    spoken = {(row.backbone, row.arm, row.task) for row, share in pairs if share is not None}
    known = [
        share is not None or (row.status == "error" and (row.backbone, row.arm, row.task) in spoken)
        for row, share in pairs
    ]
    scored = frame.with_columns(pl.Series("score", shares, dtype=pl.Float64))
    return Outcomes(scored.filter(pl.Series(known, dtype=pl.Boolean)))


def _table(trials: Iterable[TrialRow], plan: RunPlan, score: Callable[[TrialRow], float | None]) -> Outcomes:
    import polars as pl

    rows = list(trials)
    return Outcomes(
        _frame(rows, plan).with_columns(pl.Series("score", list(map(score, rows)), dtype=pl.Float64))
    )


def _frame(rows: Sequence[TrialRow], plan: RunPlan) -> pl.DataFrame:
    """All of the rows but what each scored."""
    import polars as pl

    columns: dict[str, list[Any]] = {name: list(map(attrgetter(name), rows)) for name in _OF_TRIAL}
    columns["cluster"] = [plan.clusters.get(row.task, "") for row in rows]
    return pl.DataFrame(columns, schema={name: kind for name, kind in OUTCOME_ROW.items() if name != "score"})


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
    factors, levels = arm_factors(plan)
    return AnalysisPlan(
        arms=tuple(arm for arm in plan.arms if arm != NONE),
        conditions=tuple(name for name in plan.conditions if name not in (WITHOUT, INTACT)),
        pairs=plan.pairs,
        rules=plan.rules,
        primary=plan.primary,
        # a ledger of an earlier version names no effects; then any damage has to serve
        effects=tuple(plan.effects.items()),
        positive_control=plan.positive_control,
        channel_pairs=plan.channel_pairs,
        factors=factors,
        levels=levels,
        draws=plan.draws,
        cells=planned_cells(plan),
        withheld=tuple(arm for arm, injection in plan.injections.items() if injection == WITHHOLD),
    )


def read_played(ledger: LedgerStore, plan: RunPlan) -> tuple[TrialRow, ...]:
    """The last attempt of every planned trial, in the plan's order; blocks were played in a random one.

    Raises:
        LedgerFault: a trial stands twice, or its score is none.
    """
    rank = {name: place for names in (plan.backbones, plan.arms) for place, name in enumerate(names)}
    cells = frozenset(planned_cells(plan))
    trials = (
        trial
        for trial in ledger.trials()
        if trial.backbone in plan.backbones and (trial.arm, trial.condition) in cells
    )
    read = sorted(trials, key=lambda t: (rank[t.backbone], t.task, t.repeat, rank[t.arm], t.condition))
    before = None
    for row in read:
        # no run writes such rows: somebody changed the file behind the ledger's back
        place = (row.backbone, row.arm, row.condition, row.task, row.repeat)
        if place == before:
            raise LedgerFault(f"a ledger that holds each trial once is needed; this has {place!r} twice")
        if row.score is not None and not 0.0 <= row.score <= 1.0:
            raise LedgerFault(f"a ledger with scores in [0, 1] is needed; {place!r} has {row.score!r}")
        before = place
    return tuple(read)
