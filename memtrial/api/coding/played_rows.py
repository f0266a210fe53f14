"""The trials of a run that were played so far, for what is forecast or judged from them."""

from collections.abc import Sequence
from pathlib import Path

from memtrial.coding_trials.work_records import WorkRecord
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.rows import TrialRow
from memtrial.runs.forecast.trial_forecast import Rehearsal, spread_of
from memtrial.runs.run_folder.folder import LEDGER


def read_rows(folder: Path) -> tuple[TrialRow, ...]:
    """The last attempt of each trial of a run; none where there is no run."""
    if not (folder / LEDGER).is_file():
        return ()
    ledger = open_ledger_to_read(folder / LEDGER)
    try:
        return tuple(ledger.trials())
    finally:
        ledger.close()


def rehearse(records: Sequence[WorkRecord]) -> Rehearsal:
    """What trials took that were played before: the time of all, the cost of those that asked a model."""
    return Rehearsal(
        len(records),
        spread_of([record.seconds for record in records]),
        spread_of([record.usd for record in records if record.usd is not None and record.calls]),
    )
