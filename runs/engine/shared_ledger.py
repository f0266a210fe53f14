"""The ledger of a run that many workers share, opened for a session; the run folder says where it is."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memtrial.faults import RESUME, RunFault, SpecFault, StoreFault, refused
from memtrial.ledger.ledger_copy import copy_up
from memtrial.ledger.postgres.database_address import hide_password, refuse_address
from memtrial.ledger.postgres.lease_time import LEASE_S
from memtrial.ledger.postgres.postgres_ledger import PostgresLedger
from memtrial.ledger.postgres.postgres_work import PostgresWork
from memtrial.ledger.row_text import LedgerFault
from memtrial.private_file import write_whole
from memtrial.runs.engine.session import begin
from memtrial.runs.run_folder.folder import ELSEWHERE_KEPT, LEDGER
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.spec import Spec

ANOTHER_NAME = "Runs in a database are kept: use --out with a folder of another name, or another database"
"""What a user may do where the database has another experiment of this run's name."""
ON_ITS_WAY = "on its way"
"""A key of the note in the folder, until its rows are in the database."""


def refuse_unshared(spec: Spec) -> None:
    """The blocks of a spec can be played by many; else SpecFault."""
    if spec.mode == "stream":
        raise SpecFault(
            "--ledger shares blocks that can be played in any order; in mode: stream each task is shown what"
            " came before: leave --ledger out"
        )


def has_rows(folder: Path) -> bool:
    """Whether a run was begun in the folder, or a copy of one is there."""
    path = folder / LEDGER
    return path.exists() and path.stat().st_size > 0


def is_on_its_way(folder: Path) -> bool:
    """Whether a session that took the folder's rows to a database may have ended before they were there."""
    with refused(OSError, ValueError, prefix=f"{folder / ELSEWHERE_KEPT} cannot be read: "):
        return ON_ITS_WAY in (folder / ELSEWHERE_KEPT).read_text(encoding="utf-8")


def _note(folder: Path, shown: Mapping[str, str | bool]) -> None:
    write_whole(folder / ELSEWHERE_KEPT, json.dumps(shown, indent=1) + "\n")


@contextmanager
def shared_ledger_of(
    folder: Path, experiment: Experiment, address: str, name: str, lease_s: float = LEASE_S
) -> Iterator[tuple[PostgresLedger, PostgresWork]]:
    """The run of this name in the database, begun where there is none, and this worker's part in it.

    A run that was begun in the folder, and is not in the database yet, is taken there as it stands.

    Raises:
        SpecFault: the address is none, or the run of this name is of another experiment.
        RunFault: the database does not answer, or this worker was away for longer than its lease.
    """
    refuse_address(address)
    try:
        ledger = PostgresLedger(address, name, folder / ELSEWHERE_KEPT, lease_s)
    except LedgerFault as fault:
        raise SpecFault(str(fault)) from fault
    try:
        work = PostgresWork(ledger)
        shown = {"ledger": hide_password(address), "run": name}
        if ledger.fact("identity") is None and has_rows(folder):
            _note(folder, {**shown, ON_ITS_WAY: True})
            work.decide_alone(lambda: copy_up(folder / LEDGER, ledger))
        work.decide_alone(lambda: begin(experiment, ledger, folder, ANOTHER_NAME))
        _note(folder, shown)
        yield ledger, work
    except (LedgerFault, StoreFault) as fault:
        raise RunFault(f"{name}: {fault}; {RESUME}") from fault
    except OSError as fault:
        raise RunFault(f"{folder} cannot be written: {fault}; {RESUME}") from fault
    finally:
        ledger.close()
