"""The hypotheses of a run as it stands, from the tasks that are complete: for who looks at many trials."""

from collections import Counter
from collections.abc import Collection
from operator import itemgetter

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import Amendment, RunPlan, TakenLook, read_lock, read_numbered
from memtrial.ledger.trial_cells import Cell, TrialScore
from memtrial.outcomes.reserved_names import NONE, WITHOUT
from memtrial.protocol.masking import Mask
from memtrial.protocol.monitoring import cells_monitored, masked_look, monitor_trials
from memtrial.protocol.monitoring_rows import Monitoring
from memtrial.protocol.run_cells import planned_cells
from memtrial.protocols import LedgerStore

_PLACE = itemgetter(slice(*map(TrialScore._fields.index, ("backbone", "status"))))
"""Backbone, arm, condition, task and repeat: of many thousands, and a slice is soon made."""


def read_scores(
    ledger: LedgerStore, plan: RunPlan, mask: Mask, cells: Collection[Cell]
) -> tuple[TrialScore, ...]:
    """The planned trials of these cells, which have masked names, as the trials have.

    Raises:
        LedgerFault: a trial stands twice, or its score is none.
    """
    own = [(arm, condition) for arm, condition in planned_cells(plan) if (mask.of(arm), condition) in cells]
    rows = [row for row in ledger.scores(own) if row.backbone in plan.backbones]
    # no run writes such rows: somebody changed the file behind the ledger's back
    places = list(map(_PLACE, rows))
    if len(set(places)) < len(places):
        place = next(place for place, times in Counter(places).items() if times > 1)
        raise LedgerFault(f"a ledger that holds each trial once is needed; this has {place!r} twice")
    for score in {row.score for row in rows if row.score is not None}:
        if not 0.0 <= score <= 1.0:
            place = next(_PLACE(row) for row in rows if row.score is score)
            raise LedgerFault(f"a ledger with scores in [0, 1] is needed; {place!r} has {score!r}")
    return tuple(row._replace(arm=mask.of(row.arm)) for row in rows) if mask else tuple(rows)


def watch_run(ledger: LedgerStore, plan: RunPlan, mask: Mask) -> Monitoring | None:
    """What is seen of the hypotheses so far; None where none is planned or nothing is seen yet."""
    taken = tuple(masked_look(entry, mask) for entry in read_numbered(ledger, TakenLook))
    stands = read_lock(ledger) is not None and not read_numbered(ledger, Amendment)
    shown = mask.plan(plan)
    scores = read_scores(ledger, plan, mask, cells_monitored(shown) | {(NONE, WITHOUT)})
    seen = monitor_trials(scores, shown, taken, stands)
    return seen if seen.hypotheses else None
