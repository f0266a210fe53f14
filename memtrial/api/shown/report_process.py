"""The second process of a report: `python -m memtrial.api.shown.report_process FILE`.

It loads only what the computations that it is handed need.
"""

from collections.abc import Callable

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault
from memtrial.runs.setup.processes.line_process import Line, serve_line


def answer_computations(line: Line) -> None:
    """Do each computation that comes, and send its value, or the fault of the ledger that it reads."""
    while True:
        compute: Callable[[], object] = line.recv()
        try:
            answer = compute()
        except (LedgerFault, DatabaseFault) as fault:
            answer = fault
        line.send(answer)


if __name__ == "__main__":
    serve_line(answer_computations)
