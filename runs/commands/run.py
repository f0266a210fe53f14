"""`run`: carry out a spec, print the table, write the report."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ledger.schema import missing_in
from ledger.store import Ledger, LedgerFault
from models.cache import TABLES as CALLS
from reports.delivery import delivery_alarm
from runs.attempt_log import attempt_log
from runs.checking import Experiment, check_spec, refuse_retry
from runs.commands.report import show, write_reports
from runs.display import Display, Mode
from runs.experiment import Session, begin, carry_out, stated_identity
from runs.fault import RunFault, SpecFault
from runs.folder import LOCK, alone_in, folder_of, point_latest, refuse_changed, write_whole
from runs.folder import clean as remove
from runs.schedule import Ending
from runs.spec import Spec

CODES = {"errors": 1, "halted": 1, "interrupted": 130}
"""Exit codes of endings; a spent budget is what was asked for, as --limit is."""
NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
UNDECIDED = ("inconclusive", "untestable", "insensitive")


def run_spec(
    spec: Spec,
    out: Path | None,
    clean: bool,
    limit: int | None,
    mode: Mode,
    as_json: bool,
    require_decision: bool,
    retry_errors: bool = False,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Carry out a spec; the exit code.

    Args:
        environment: where keys and addresses stand; the process's own unless given.

    Raises:
        SpecFault: the spec, or the folder it would go on in, is wrong; nothing was written.
        RunFault: the run cannot go on.
    """
    begun = time.monotonic()
    if retry_errors:
        refuse_retry(spec)
    experiment = check_spec(spec, environment)
    folder = folder_of(spec, out)
    if clean:
        remove(folder)
    _refuse_other(folder, experiment)
    _make(folder)
    with alone_in(folder):
        ledger = _open(folder, experiment)
        try:
            ending = _session(experiment, folder, ledger, Display(mode), limit, retry_errors)
            results = write_reports(folder, ledger) if ledger.fact("plan") is not None else None
        except LedgerFault as fault:
            raise RunFault(f"{folder}: {fault}; what is kept stays") from fault
        except OSError as fault:
            raise RunFault(f"{folder} cannot be written: {fault}; what is kept stays") from fault
        except sqlite3.DatabaseError as fault:
            if _code_of(fault) not in DAMAGED:
                raise
            raise _damaged(folder / "ledger.sqlite", fault) from fault
        finally:
            ledger.close()
    if results is not None:
        show(results, folder, as_json, f"{time.monotonic() - begun:.0f} s. ")
    return _code(ending, results, require_decision)


def _session(
    experiment: Experiment, folder: Path, ledger: Ledger, display: Display, limit: int | None, again: bool
) -> Ending:
    """One session, noted in the ledger and in a log of its own."""
    write_whole(folder / "spec.resolved.yaml", _resolved(experiment.spec))
    point_latest(folder)
    number = ledger.begin_session(_settings(experiment))
    with attempt_log(folder, number) as log:
        log.say(f"session {number} begins, loadbearing {version('loadbearing')}")
        display.log = log.say
        try:
            ending = asyncio.run(carry_out(experiment, ledger, display, Session(limit, again, log.say)))
        except (RunFault, LedgerFault) as fault:
            log.say(f"stopped: {fault}")
            # on a full disk this cannot be noted either; the first fault is the one to tell
            with suppress(LedgerFault):
                ledger.end_session(number, f"failed: {fault}")
            raise
        except KeyboardInterrupt:
            log.say("stopped at once")
            ledger.end_session(number, "interrupted")
            raise
        log.say(f"{ending.how}: {ending.why}" if ending.why else ending.how)
        ledger.end_session(number, f"{ending.how}: {ending.why}" if ending.why else ending.how)
    return ending


def _settings(experiment: Experiment) -> dict[str, Any]:
    """What may differ between the sessions of one run."""
    spec = experiment.spec
    outside = {"budget", "engine"}
    return {
        "version": version("loadbearing"),
        "price_table": experiment.prices.date,
        **json.loads(spec.model_dump_json(include=outside)),
    }


def _code(ending: Ending, results: dict[str, Any] | None, require_decision: bool) -> int:
    """The exit code, and what a person has to know beside the table."""
    on = "the same command goes on from here"
    if ending.how == "budget":
        on = "the same command with a larger --max-cost goes on from here"
    if ending.how == "errors":
        on = "see `loadbearing status`; --retry-errors plays them again, except in mode stream"
    if ending.how not in ("done", "limit"):
        # a halt says itself what to do: a model that changed does not come back with the same command
        told = ending.why if ending.how == "halted" else f"{ending.why}; {on}"
        print(f"loadbearing: stopped: {told}", file=sys.stderr)
    if results is not None and (alarm := delivery_alarm(results["delivery"])):
        print(f"loadbearing: {alarm}", file=sys.stderr)
        return 1
    if ending.how in CODES:
        return CODES[ending.how]
    if results is None:
        return 0 if ending.how == "budget" else 1
    return 3 if require_decision and _undecided(results) else 0


def _refuse_other(folder: Path, experiment: Experiment) -> None:
    """A folder of another experiment, or of something else, is not touched at all."""
    path = folder / "ledger.sqlite"
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return
    if path.with_name(f"{path.name}-journal").exists():
        return  # a process was killed while it began this file: opening it to write mends it
    if not path.is_file():
        raise SpecFault(f"a ledger is needed; {path} is no plain file; use --out with another folder")
    try:
        ledger = Ledger.reading(path)
    except LedgerFault as fault:
        raise SpecFault(f"{fault}; use --out with another folder") from fault
    try:
        refuse_changed(folder, ledger.fact("identity"), stated_identity(experiment))
        ledger.fact("plan")
        # the tables of calls are laid a moment later; only those that are there can be of another version
        if other := [one for one in missing_in(ledger.connection, CALLS) if one.startswith("column")]:
            raise LedgerFault(f"a ledger of this version is needed; this has no {', '.join(other)}")
    except LedgerFault as fault:
        raise SpecFault(f"{path}: {fault}; use --out with another folder") from fault
    except sqlite3.DatabaseError as fault:
        raise _damaged(path, fault) from fault
    finally:
        ledger.close()


def _make(folder: Path) -> None:
    """A folder for the run; one of something else stays untouched."""
    if folder.exists() and not folder.is_dir():
        raise SpecFault(f"a run needs a folder; {folder} is a file")
    fresh = not (folder / "ledger.sqlite").exists()
    if fresh and folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
        raise SpecFault(f"a run needs a folder of its own; {folder} holds other files and no ledger")
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        for one in made:
            with suppress(OSError):
                one.rmdir()
        raise SpecFault(f"a run needs a folder that can be made; {folder}: {fault}") from fault


def _open(folder: Path, experiment: Experiment) -> Ledger:
    """The folder's ledger, begun if new."""
    try:
        ledger = Ledger(folder / "ledger.sqlite")
    except LedgerFault as fault:
        # a full disk is no wrong call
        raise (RunFault if _code_of(fault.__cause__) in NO_ROOM else SpecFault)(str(fault)) from fault
    try:
        begin(experiment, ledger, folder)
    except SpecFault:
        ledger.close()
        raise
    except LedgerFault as fault:
        ledger.close()
        raise RunFault(f"{folder}: {fault}; what is kept stays") from fault
    return ledger


def _code_of(fault: BaseException | None) -> int:
    """SQLite's primary code; 0 where there is none."""
    return int(getattr(fault, "sqlite_errorcode", 0)) & 0xFF


def _damaged(path: Path, fault: sqlite3.Error) -> SpecFault:
    return SpecFault(
        f"a ledger that is whole is needed; {path} is damaged: {fault}; use --out with another folder, or"
        " --clean to begin anew"
    )


def _resolved(spec: Spec) -> str:
    import yaml

    return yaml.safe_dump(json.loads(spec.model_dump_json()), sort_keys=False, allow_unicode=True)


def _undecided(results: dict[str, Any]) -> bool:
    primary = [one["verdict"] for one in results["hypotheses"]]
    if not primary:
        print("--require-decision: the spec compares no two arms, so nothing is decided", file=sys.stderr)
    return not primary or any(verdict in UNDECIDED for verdict in primary)
