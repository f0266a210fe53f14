"""A run in a database, played by whoever takes blocks of it; its folder gets a copy in the end."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from memtrial.console.display import Display
from memtrial.faults import SpecFault
from memtrial.ledger.ledger_copy import copy_down
from memtrial.ledger.postgres.database import refuse_address
from memtrial.ledger.postgres.kept_runs import KeptRun, kept_runs
from memtrial.ledger.postgres.worker_lease import LEASE_S
from memtrial.ledger.row_text import LedgerFault
from memtrial.plugins.plugin_names import plugins_of
from memtrial.plugins.process_watch import process_watch
from memtrial.runs.engine.schedule import Ending, Session
from memtrial.runs.engine.session import run_session
from memtrial.runs.engine.shared_ledger import refuse_unshared, shared_ledger_of
from memtrial.runs.run_folder.folder import LEDGER, make
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import Experiment, check_spec
from memtrial.runs.spec.spec import Spec


def play_shared(
    experiment: Experiment, folder: Path, address: str, session: Session, display: Display
) -> Ending:
    """One session on a run in a database, until all its blocks are done, whoever played them; then the folder
    holds a copy of its ledger. Raises as `shared_ledger_of` and `run_session`."""
    refuse_unshared(experiment.spec)
    with shared_ledger_of(folder, experiment, address, folder.resolve().name) as (ledger, work):
        shared = Session(
            session.most_blocks, session.retry_errors, serve_page=session.serve_page, shared=work
        )
        ending = run_session(experiment, folder, ledger, display, shared)
        copy_down(ledger, folder / LEDGER)
    return ending


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
