"""A run in a database, played by whoever takes blocks of it; its folder gets a copy in the end."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from memtrial.api.shared.started_workers import EngineName, start_workers
from memtrial.console.display import Display
from memtrial.faults import SpecFault
from memtrial.ledger.ledger_copy import copy_down
from memtrial.ledger.postgres.database_address import refuse_address
from memtrial.ledger.postgres.kept_runs import KeptRun, kept_runs
from memtrial.ledger.postgres.lease_time import LEASE_S
from memtrial.ledger.row_text import LedgerFault
from memtrial.plugins.plugin_names import plugins_of
from memtrial.plugins.process_watch import process_watch
from memtrial.runs.engine.schedule import Ending, Session
from memtrial.runs.engine.session import run_session
from memtrial.runs.engine.shared_ledger import shared_ledger_of
from memtrial.runs.run_folder.folder import LEDGER, make
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import Experiment, check_spec
from memtrial.runs.spec.spec import Spec

OVER = ("done", "boundary", "budget")
"""Endings after which other workers find nothing to begin any more, and end by themselves."""
STOPPED = ("errors", "halted")
"""Endings that a person has to look at."""


@dataclass(frozen=True, slots=True)
class WorkerTerms:
    """How a worker works.

    Args:
        run: the name of the one run that it works for; None for all of the database.
        lease_s: seconds without a word from it after which others take its blocks.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
        environment: where keys and addresses stand; the process's own unless given.
    """

    run: str | None = None
    lease_s: float = LEASE_S
    base_urls: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class WorkersBeside:
    """Workers that a driver starts beside itself.

    Args:
        engine: what starts them.
        number: how many; None for as many as the engine has processors.
        terms: how they work; for the driver's own run, whatever name is in them.
    """

    engine: EngineName = "processes"
    number: int | None = None
    terms: WorkerTerms = WorkerTerms()


def play_shared(
    experiment: Experiment,
    folder: Path,
    address: str,
    session: Session,
    display: Display,
    beside: WorkersBeside | None = None,
) -> tuple[Ending, Sequence[str]]:
    """One session on a run in a database, until all its blocks are done, whoever played them; then the folder
    holds a copy of its ledger. Raises as `shared_ledger_of`, `start_workers` and `run_session`.

    Returns how it ended, and a line for each worker beside it that something went wrong with.
    """
    name, lines = folder.resolve().name, list[str]()
    with shared_ledger_of(folder, experiment, address, name) as (ledger, work):
        # of the driver alone: a worker that was begun earlier would put an older budget back
        ledger.keep_spec(experiment.spec.model_dump_json())
        shared = replace(session, shared=work)
        if beside is None:
            ending = run_session(experiment, folder, ledger, display, shared)
        else:
            helping = partial(help_out, address, replace(beside.terms, run=name))
            with start_workers(beside.engine, beside.number, helping, lines.append) as let_end:
                ending = run_session(experiment, folder, ledger, display, shared)
                if ending.how in OVER:
                    let_end()
        copy_down(ledger, folder / LEDGER)
    return ending, lines


def refuse_alone(
    address: str | None, engine: EngineName | None, number: int | None, limit: int | None
) -> None:
    """Workers are asked for of a run that is kept in a database, and is played to its end; else SpecFault."""
    if engine is None and number is None:
        return
    what = "--workers" if engine is None else "--engine"
    if address is None:
        raise SpecFault(f"{what} starts workers of a run in a database: add --ledger, or leave {what} out")
    if limit is not None:
        raise SpecFault(f"--limit is of this process alone, and what {what} starts plays on: leave one out")


def help_out(address: str, terms: WorkerTerms) -> list[str]:
    """What a worker does that a driver has started; a line for each run that it stopped early at."""
    return [
        f"{done.name} stopped: {done.ending.why}"
        for done in work_on(address, terms)
        if done.ending.how in STOPPED
    ]


@dataclass(frozen=True, slots=True)
class WorkedRun:
    """A run that a worker took blocks of, and how its session ended."""

    name: str
    ending: Ending


@without_loop
def work_on(
    address: str, terms: WorkerTerms = WorkerTerms(), display: Display | None = None
) -> list[WorkedRun]:
    """Take blocks of the runs of a database until none is left; one run after the other, as they were begun.

    A run that was begun meanwhile is played, too. Of all runs one that cannot be played here is left to
    others: its ending says why.

    Raises:
        SpecFault: the address is none, there is no such run, or files of its spec are others here.
        RunFault: the run cannot go on.
    """
    refuse_address(address)
    shown = Display("none") if display is None else display
    worked: dict[str, WorkedRun] = {}
    while left := [kept for kept in _wanted(address, terms.run) if kept.name not in worked]:
        kept = left[0]
        try:
            ending = _work_on(kept, address, terms, shown)
        except SpecFault as fault:
            if terms.run is not None:
                raise
            ending = Ending("halted", str(fault))
        worked[kept.name] = WorkedRun(kept.name, ending)
        if ending.how == "interrupted":
            break
    return list(worked.values())


def _work_on(kept: KeptRun, address: str, terms: WorkerTerms, shown: Display) -> Ending:
    spec = _spec_of(kept)
    with process_watch(plugins_of(spec.model_dump())):
        experiment = check_spec(spec, terms.environment, terms.base_urls)
        # logs and indices of this worker alone; what it played is in the database
        with TemporaryDirectory(prefix="memtrial-worker-") as room:
            folder = Path(room) / "run"
            make(folder)
            with shared_ledger_of(folder, experiment, address, kept.name, terms.lease_s) as (ledger, work):
                return run_session(experiment, folder, ledger, shown, Session(shared=work))


def _wanted(address: str, name: str | None) -> Sequence[KeptRun]:
    try:
        there = kept_runs(address)
    except LedgerFault as fault:
        raise SpecFault(str(fault)) from fault
    named = [run for run in there if name == run.name or (name is None and not run.over)]
    if not named and (name is not None or not there):
        known = ", ".join(run.name for run in there) or "nothing"
        raise SpecFault(
            f"the name of a run of this database is needed; it holds {known}. `memtrial run SPEC --ledger`"
            " begins one"
        )
    return named


def _spec_of(kept: KeptRun) -> Spec:
    try:
        return Spec.model_validate(json.loads(kept.spec))
    except (ValueError, ValidationError) as fault:
        raise SpecFault(f"{kept.name} was begun by another version: {fault}") from fault
