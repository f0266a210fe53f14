"""A look at scores under the arms' own names before the locked data are complete is noted first."""

from contextlib import closing
from pathlib import Path

from memtrial.console.standard_output import complain
from memtrial.faults import RunFault
from memtrial.ledger.open_ledger import open_ledger
from memtrial.ledger.row_text import LedgerFault, now
from memtrial.ledger.run_plan import UnmaskedLook, add_numbered, count_played
from memtrial.protocol.hidden_names import hidden_names
from memtrial.protocols import LedgerStore
from memtrial.runs.run_folder.folder import LEDGER, open_for_reading


def note_raw(folder: Path, ledger: LedgerStore, by: str) -> None:
    """Note and say that rows are about to be seen under the arms' own names, where reports mask them."""
    if hidden_names(ledger):
        note_unmasked(folder, by)
        complain("the locked data are not complete: this look at the arms' own rows is noted in the ledger")


def note_unmasked(folder: Path, by: str) -> None:
    """Note in the ledger that scores are about to be seen under the arms' names, where they are masked.

    A look at a run without a lock, or with complete data, is noted nowhere. `by` is the command that looks.
    """
    try:
        with closing(open_ledger(folder / LEDGER)) as ledger:
            if hidden_names(ledger):
                add_numbered(ledger, UnmaskedLook(made=now(), trials=count_played(ledger), by=by))
    except LedgerFault as fault:
        with open_for_reading(folder):
            pass  # one that cannot be read either is bad input
        raise RunFault(f"an unmasked look is noted first, and {folder} cannot be written: {fault}") from fault
