"""Where the ledger of a run is opened. Whoever keeps its rows elsewhere changes these functions."""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from pathlib import Path

from memtrial.ledger.sqlite.audit import SeenRows, list_seen
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.ledger.sqlite.trial_index import TrialIndex
from memtrial.protocols import LedgerStore


def open_ledger(path: Path) -> LedgerStore:
    """The ledger of this path, made where there is none; LedgerFault where something else is there."""
    return SqliteLedger(path)


def open_ledger_to_read(path: Path) -> LedgerStore:
    """The ledger of this path as it stands now, while somebody else may be adding to it; faults as above."""
    return SqliteLedger.open_read_only(path)


def open_ledger_at_glance(path: Path, running: bool) -> LedgerStore:
    """The same for who computes no result: rows that are known to be as they were written are not compared.

    Args:
        running: a session of the run is going on.
    """
    return SqliteLedger.open_read_only(path, True, running)


def open_trial_index(path: Path, running: bool = False) -> TrialIndex:
    """The trials of this ledger, to be looked through while somebody else may add to it; else as above."""
    return TrialIndex(SqliteLedger.open_read_only(path, True, running))


def share_rows(ledger: LedgerStore) -> Callable[[], AbstractContextManager[LedgerStore]]:
    """What opens the rows that this ledger has now, without comparing them anew: in another process as well
    where they are in a file, and else in this one alone."""
    if isinstance(ledger, SqliteLedger):
        return partial(_open_seen, ledger.path, list_seen(ledger.connection))
    return lambda: nullcontext(ledger)


def _open_seen(path: Path, seen: SeenRows) -> AbstractContextManager[LedgerStore]:
    return closing(SqliteLedger.open_read_only(path, seen=seen))
