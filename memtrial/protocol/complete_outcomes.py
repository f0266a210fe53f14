"""The hypotheses of a run as it stands, from the tasks that are complete: for who looks at many trials."""

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import Amendment, RunPlan, TakenLook, read_lock, read_numbered
from memtrial.ledger.trial_cells import TrialScore
from memtrial.outcomes.outcomes import Outcomes
from memtrial.outcomes.reserved_names import NONE
from memtrial.protocol.masking import Mask
from memtrial.protocol.monitoring import masked_look, monitor_outcomes
from memtrial.protocol.monitoring_rows import Monitoring
from memtrial.protocol.run_cells import planned_cells
from memtrial.protocols import LedgerStore

_PLACE = ("backbone", "arm", "condition", "task", "repeat")


def read_outcomes(ledger: LedgerStore, plan: RunPlan, mask: Mask) -> Outcomes:
    """The planned trials of all tasks of which every block was played, under the names of a mask.

    Raises:
        LedgerFault: a trial stands twice, or its score is none.
    """
    import polars as pl

    kinds = dict.fromkeys(TrialScore._fields, pl.String) | {"repeat": pl.Int64, "score": pl.Float64}
    cells = pl.DataFrame(planned_cells(plan), schema=["arm", "condition"], orient="row")
    played = (
        pl.DataFrame(list(ledger.scores()), schema=kinds, orient="row")
        .filter(pl.col("backbone").is_in(plan.backbones))
        .join(cells, on=["arm", "condition"], how="semi")
        # means are taken in the order of repeats; blocks were played in a random one
        .sort("task", "repeat")
    )
    # no run writes such rows: somebody changed the file behind the ledger's back
    if (twice := played.filter(played.select(_PLACE).is_duplicated())).height:
        place = twice.select(_PLACE).row(0)
        raise LedgerFault(f"a ledger that holds each trial once is needed; this has {place!r} twice")
    if (beyond := played.filter(~pl.col("score").is_between(0.0, 1.0))).height:
        place, score = beyond.select(_PLACE).row(0), beyond["score"][0]
        raise LedgerFault(f"a ledger with scores in [0, 1] is needed; {place!r} has {score!r}")
    blocks = played.filter(pl.col("arm") == NONE).group_by("task").len()
    complete = blocks.filter(pl.col("len") >= len(plan.backbones) * plan.repeats)
    scored = pl.col("score") if plan.outcome == "score" else (pl.col("status") == "success").cast(pl.Float64)
    return Outcomes(
        played.join(complete, on="task", how="semi", maintain_order="left").with_columns(
            pl.when(pl.col("status") != "error").then(scored).alias("score"),
            pl.col("arm").replace(mask.names).alias("arm"),
            pl.col("task").replace_strict(plan.clusters, default="", return_dtype=pl.String).alias("cluster"),
        )
    )


def watch_run(ledger: LedgerStore, plan: RunPlan, mask: Mask) -> Monitoring | None:
    """What is seen of the hypotheses so far; None where none is planned or nothing is seen yet."""
    taken = tuple(masked_look(entry, mask) for entry in read_numbered(ledger, TakenLook))
    stands = read_lock(ledger) is not None and not read_numbered(ledger, Amendment)
    seen = monitor_outcomes(read_outcomes(ledger, plan, mask), mask.plan(plan), taken, stands)
    return seen if seen.hypotheses else None
