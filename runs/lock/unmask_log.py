"""Unmasking: names of arms before the locked data are complete, at the price of its being said."""

from __future__ import annotations

from pathlib import Path

from loadbearing.ledger.lock_facts import UnmaskedLook, add_numbered, played
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault, now
from loadbearing.reports.evidence.view import hidden_names
from loadbearing.runs.errors import RunFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.progress.standard_output import complain


def note_raw(folder: Path, ledger: Ledger, by: str) -> None:
    """Note and say that rows are about to be seen under the arms' own names, where reports mask them."""
    if hidden_names(ledger):
        note_unmasked(folder, by)
        complain("the locked data are not complete: this look at the arms' own rows is noted in the ledger")


def note_unmasked(folder: Path, by: str) -> None:
    """Note in the ledger that scores are about to be seen under the arms' names, where they are masked.

    A look at a run without a lock, or with complete data, is noted nowhere. `by` is the command that looks.
    """
    try:
        ledger = Ledger(folder / "ledger.sqlite")
        try:
            if hidden_names(ledger):
                add_numbered(ledger, UnmaskedLook(made=now(), trials=played(ledger), by=by))
        finally:
            ledger.close()
    except LedgerFault as fault:
        with reading(folder):
            pass  # one that cannot be read either is bad input
        raise RunFault(f"an unmasked look is noted first, and {folder} cannot be written: {fault}") from fault
