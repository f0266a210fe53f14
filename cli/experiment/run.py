"""`run`: carry out a spec, print the table, write the report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadbearing.cli.reading.report import show, write_reports
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.model.results import Results
from loadbearing.runs.folder.repair import to_mend
from loadbearing.runs.folder.run_folder import alone_in, folder_of, make
from loadbearing.runs.folder.run_folder import clean as remove
from loadbearing.runs.play.runner import Session
from loadbearing.runs.play.schedule import Ending
from loadbearing.runs.play.session import ledger_of, refuse_other, run_session
from loadbearing.runs.progress.display import Display, Mode
from loadbearing.runs.progress.standard_output import complain
from loadbearing.runs.setup.preflight import check_spec, refuse_retry
from loadbearing.runs.spec.spec import Spec

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
    base_urls: Sequence[str] = (),
    retry_damaged: bool = False,
) -> int:
    """Carry out a spec; the exit code.

    Args:
        environment: where keys and addresses stand; the process's own unless given.
        base_urls: addresses named on the command line.
        retry_damaged: set aside what was changed after it was written, and do it again.

    Raises:
        SpecFault: the spec, or the folder it would go on in, is wrong; nothing was written.
        RunFault: the run cannot go on.
    """
    begun = time.monotonic()
    if retry_errors:
        refuse_retry(spec)
    experiment = check_spec(spec, environment, base_urls)
    folder = folder_of(spec, out)
    if clean:
        remove(folder)
    mend = to_mend(refuse_other(folder, experiment), spec, folder, retry_damaged)
    make(folder)
    with alone_in(folder), ledger_of(folder, experiment, mend=mend) as ledger:
        session = Session(limit, retry_errors)
        ending = run_session(experiment, folder, ledger, Display(mode), session)
        ledger.look_again()
        results = write_reports(folder, ledger) if ledger.fact("plan") is not None else None
    if results is not None:
        show(results, folder, as_json, f"{time.monotonic() - begun:.0f} s. ")
    return _code(ending, results, require_decision)


def _code(ending: Ending, results: Results | None, require_decision: bool) -> int:
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
    found = alarms(results.untrusted, results.delivery) if results is not None else ()
    for alarm in found:
        complain(alarm)
    if found:
        return 1
    if ending.how in CODES:
        return CODES[ending.how]
    if results is None:
        return 0 if ending.how == "budget" else 1
    return 3 if require_decision and _undecided(results) else 0


def _undecided(results: Results) -> bool:
    primary = [one.verdict for one in results.hypotheses]
    if not primary:
        complain("--require-decision: the spec compares no two arms, so nothing is decided")
    return not primary or any(verdict in UNDECIDED for verdict in primary)
