"""Opening a run to read it: nothing of it is changed; and what is said and done where rows were changed."""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loadbearing.ledger.audit import Damage
from loadbearing.ledger.private_file import private
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault
from loadbearing.reports.evidence.untrusted import untrusted, untrusted_alarm
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.run_folder import LEDGER, LOCK, find_run
from loadbearing.runs.spec.spec import Spec


@contextmanager
def reading(named: Path) -> Iterator[tuple[Path, Ledger]]:
    """The folder and the ledger of a run, as they stand now; SpecFault where it cannot be read."""
    folder = find_run(named)
    try:
        ledger = Ledger.reading(folder / LEDGER)
    except LedgerFault as fault:
        raise SpecFault(str(fault)) from fault
    try:
        yield folder, ledger
    except LedgerFault as fault:
        raise SpecFault(f"{folder}: {fault}") from fault
    except sqlite3.Error as fault:
        raise SpecFault(f"an intact ledger is needed; {folder / LEDGER} is damaged: {fault}") from fault
    finally:
        ledger.close()


def going_on(folder: Path) -> bool:
    """Whether a process is carrying out this run now."""
    try:
        with open(folder / LOCK, "rb", opener=private) as lock:
            # shared, so that two who look do not see each other; let go at once
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as fault:
        return isinstance(fault, BlockingIOError)
    return False


def alarm_of(damage: Damage) -> str:
    """What to say of a ledger that is read, in one line; empty where all of it can be trusted."""
    return untrusted_alarm(untrusted(damage))


def raise_alarm(damage: Damage) -> None:
    """End with exit code 1 (RunFault) where rows were changed, after all that can be trusted was shown."""
    if alarm := alarm_of(damage):
        raise RunFault(alarm)


def refuse_damaged_stream(damage: Damage, spec: Spec, folder: Path) -> None:
    """In mode `stream` nothing is played after a block that cannot be trusted: SpecFault."""
    if spec.mode == "stream" and damage.blocks:
        raise SpecFault(
            f"{folder}: {alarm_of(damage)} Not in mode: stream, where later tasks were shown what came"
            " before: begin anew with --clean, or --out with a new folder"
        )


def refuse_damaged_recording(folder: Path) -> None:
    """The run whose answers are replayed holds all of them as they came; else SpecFault."""
    try:
        ledger = Ledger.reading(folder / "ledger.sqlite")
    except LedgerFault as fault:
        raise SpecFault(f"a replay needs a run that can be read; {fault}") from fault
    lost = ledger.damage.rows.get("calls", 0)
    ledger.close()
    if lost:
        raise SpecFault(
            f"a replay needs all answers as they came; {lost:,} of those in {folder} were changed after they"
            " were written: name another run"
        )
