"""The trials of a run that were played so far, for what is forecast or judged from them."""

from pathlib import Path

from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.rows import TrialRow
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
