"""A second process that computes beside the one that makes a report, where there are many trials."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from memtrial.faults import RunFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault
from memtrial.runs.setup.processes.line_process import ChildFault, ChildProcess, begin_child
from memtrial.runs.setup.processes.processor_count import count_processors
from memtrial.views.computation import Begin, Value, compute_late

PROGRAM = "memtrial.api.shown.report_process"
WORTH = 20_000
"""Trials from which on a second process is begun: it takes a second of processor time before it computes."""


@contextmanager
def compute_beside(n_trials: int, n_processors: int | None = None) -> Iterator[Begin]:
    """What begins computations of a report of so many trials: in a second process, if there are many.

    They are done there in the order in which they are begun; one that is not begun there when its value is
    asked for is done here. The process ends with the block, however that ends.

    Args:
        n_processors: that this process may use, counted unless given; with one alone nothing is begun.

    What gives a value raises RunFault where the process has ended, and where the ledger cannot be read there
    what it raises here: LedgerFault or DatabaseFault.
    """
    if n_trials < WORTH or (n_processors or count_processors()) < 2:
        yield compute_late
        return
    child = begin_child(PROGRAM)
    asking = ThreadPoolExecutor(1)
    try:
        yield partial(_begin, asking, child)
    finally:
        asking.shutdown(wait=False, cancel_futures=True)
        child.end()


def _begin(
    asking: ThreadPoolExecutor, child: ChildProcess, compute: Callable[[], Value]
) -> Callable[[], Value]:
    return partial(_wait, asking.submit(child.ask, compute), compute)


def _wait(begun: Future[Value], compute: Callable[[], Value]) -> Value:
    if begun.cancel():
        return compute()
    try:
        value = begun.result()
    except ChildFault as fault:
        raise RunFault(
            f"the second process of the report {fault}; no row is lost: `memtrial report` makes it anew"
        ) from fault
    if isinstance(value, LedgerFault | DatabaseFault):
        raise value
    return value
