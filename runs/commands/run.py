"""`run`: carry out a spec, print the table, write the report."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reports.delivery import delivery_alarm
from runs.checking import check_spec, refuse_retry
from runs.commands.report import show, write_reports
from runs.display import Display, Mode
from runs.experiment import Session
from runs.folder import alone_in, folder_of
from runs.folder import clean as remove
from runs.schedule import Ending
from runs.sitting import ledger_of, make, refuse_other, sit
from runs.spec import Spec
from runs.standard_output import complain

CODES = {"errors": 1, "halted": 1, "interrupted": 130}
"""Exit codes of endings; a spent budget is what was asked for, as --limit is."""
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
    refuse_other(folder, experiment)
    make(folder)
    with alone_in(folder), ledger_of(folder, experiment) as ledger:
        session = Session(limit, retry_errors)
        ending = sit(experiment, folder, ledger, Display(mode), session)
        results = write_reports(folder, ledger) if ledger.fact("plan") is not None else None
    if results is not None:
        show(results, folder, as_json, f"{time.monotonic() - begun:.0f} s. ")
    return _code(ending, results, require_decision)


def _code(ending: Ending, results: dict[str, Any] | None, require_decision: bool) -> int:
    """The exit code, and what a person has to know beside the table."""
    on = "the same command goes on from here"
    if ending.how == "budget":
        on = "the same command with a larger --max-cost goes on from here"
    if ending.how == "errors":
        on = "see `loadbearing status`; --retry-errors plays them again, except in mode stream"
    if ending.how == "boundary":
        complain(ending.why)
    elif ending.how not in ("done", "limit"):
        # a halt says itself what to do: a model that changed does not come back with the same command
        told = ending.why if ending.how == "halted" else f"{ending.why}; {on}"
        complain(f"stopped: {told}")
    if results is not None and (alarm := delivery_alarm(results["delivery"])):
        complain(alarm)
        return 1
    if ending.how in CODES:
        return CODES[ending.how]
    if results is None:
        return 0 if ending.how == "budget" else 1
    return 3 if require_decision and _undecided(results) else 0


def _undecided(results: dict[str, Any]) -> bool:
    primary = [one["verdict"] for one in results["hypotheses"]]
    if not primary:
        complain("--require-decision: the spec compares no two arms, so nothing is decided")
    return not primary or any(verdict in UNDECIDED for verdict in primary)
