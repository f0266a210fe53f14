"""One session on a run folder: open the ledger, play in the spec's mode, record it and translate errors."""

import asyncio
import json
import shlex
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, closing, contextmanager, suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from pydantic import JsonValue

from memtrial.condensers.condenser import ReviewWaits
from memtrial.console.attempt_log import attempt_log
from memtrial.console.display import Display
from memtrial.faults import RESUME, RunFault, SpecFault, StoreFault, refused
from memtrial.ledger.open_ledger import open_ledger, open_ledger_to_read
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import attempts, identity_in_force, plan_in_force, read_lock
from memtrial.ledger.sqlite.audit import Damage
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault, has_no_room, is_damaged
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import WEIGHTS, ModelFault, provider_of
from memtrial.models.embeddings.provider import open_embedder
from memtrial.outcomes.count_words import how_many
from memtrial.private_file import write_whole
from memtrial.protocols import LedgerStore
from memtrial.runs.engine.frozen_mode import run_frozen
from memtrial.runs.engine.interrupt import on_interrupt
from memtrial.runs.engine.schedule import Ending, Session, ending_of
from memtrial.runs.engine.shard_part import share_budget
from memtrial.runs.engine.shared_connections import divide_connections
from memtrial.runs.engine.stream_mode import run_streams
from memtrial.runs.run_folder.code_digest import code_digests
from memtrial.runs.run_folder.folder import ANEW, identity_of, point_latest, refuse_changed, refuse_links
from memtrial.runs.setup.command_bench import command_bench
from memtrial.runs.setup.context import RunContext, open_client
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.setup.reviews import reviews
from memtrial.runs.spec.spec import Spec

THREADS = 8
"""For whatever else waits outside Python while worlds of their own processes play."""
ANALYSIS = "analysis."
"""Prefix of the identity's keys that may change after the lock, because no trial depends on them."""


def refuse_other(folder: Path, experiment: Experiment, amending: bool = False) -> Damage:
    """Refuse (SpecFault) a folder of another experiment, or with links; the damage to its ledger."""
    refuse_links(folder)
    path = folder / "ledger.sqlite"
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return Damage()
    if path.with_name(f"{path.name}-journal").exists():
        return Damage()  # a process was killed while it created this file: opening it to write repairs it
    try:
        with closing(open_ledger_to_read(path)) as ledger:
            _refuse_changed(folder, ledger, experiment, amending)
            plan_in_force(ledger)
            return ledger.damage
    except LedgerFault as fault:
        raise SpecFault(f"{folder}: {fault}; use --out with another folder") from fault
    except DatabaseFault as fault:
        raise _damage_fault(path, fault) from fault


def _refuse_changed(folder: Path, ledger: LedgerStore, experiment: Experiment, amending: bool) -> None:
    before, now = identity_in_force(ledger), stated_identity(experiment)
    if amending and before is not None:
        before = {key: value for key, value in before.items() if not key.startswith(ANALYSIS)}
        now = {key: value for key, value in now.items() if not key.startswith(ANALYSIS)}
    try:
        refuse_changed(folder, before, now)
    except SpecFault as fault:
        if read_lock(ledger) is None:
            raise
        raise SpecFault(
            f"{fault}. The run is locked: `lock SPEC --amend REASON` changes keys of analysis.*, and makes it"
            " exploratory"
        ) from fault


@contextmanager
def ledger_of(folder: Path, experiment: Experiment, amending: bool = False) -> Iterator[LedgerStore]:
    """Open the folder's ledger for a session; create it if it is new.

    Args:
        amending: allow another analysis of the same trials, and do not write the identity.

    Raises:
        SpecFault: the file is no intact ledger, or belongs to another experiment.
        RunFault: it cannot be written.
    """
    try:
        ledger = open_ledger(folder / "ledger.sqlite")
    except LedgerFault as fault:
        # a full disk is not a mistake in the command
        raise (RunFault if has_no_room(fault.__cause__) else SpecFault)(str(fault)) from fault
    try:
        if not amending:
            begin(experiment, ledger, folder)
        yield ledger
    except LedgerFault as fault:
        raise RunFault(f"{folder}: {fault}; {RESUME}") from fault
    except OSError as fault:
        raise RunFault(f"{folder} cannot be written: {fault}; {RESUME}") from fault
    except DatabaseFault as fault:
        if not is_damaged(fault):
            raise
        raise _damage_fault(folder / "ledger.sqlite", fault) from fault
    finally:
        ledger.close()


def run_session(
    experiment: Experiment, folder: Path, ledger: LedgerStore, display: Display, session: Session
) -> Ending:
    """Run one session; record it in the ledger and in its own log."""
    spec = experiment.spec
    if not session.amending:
        write_whole(folder / "spec.resolved.yaml", write_resolved(spec))
    point_latest(folder)
    settings = {
        "version": version("memtrial"),
        "price_table": experiment.prices.date,
        **json.loads(spec.model_dump_json(include={"budget", "engine"})),
        # so that a report can say which code played which trials
        "code": {**code_digests()},
        "attempts": attempts(ledger),
    }
    number = ledger.begin_session(settings)
    with attempt_log(folder, number) as log:
        log.say(f"session {number} begins, memtrial {version('memtrial')}")
        display.log = log.say
        for line in experiment.notices:
            display.say(line)
        try:
            ending = asyncio.run(carry_out(experiment, ledger, display, replace(session, say=log.say)))
        except (RunFault, SpecFault, LedgerFault) as fault:
            log.say(f"stopped: {fault}")
            # on a full disk this cannot be recorded either; the first fault is the one to report
            with suppress(LedgerFault):
                ledger.end_session(number, "failed", str(fault))
            raise
        except KeyboardInterrupt:
            log.say("stopped at once")
            ledger.end_session(number, "interrupted")
            raise
        log.say(f"{ending.how}: {ending.why}" if ending.why else ending.how)
        ledger.end_session(number, ending.how, ending.why)
    return ending


async def carry_out(
    experiment: Experiment, ledger: LedgerStore, display: Display, session: Session
) -> Ending:
    """Prepare, check and play; how it ended. RunFault where it cannot continue: progress is saved."""
    experiment = share_budget(experiment, ledger)
    spec = experiment.spec
    if (worlds := spec.engine.max_environments) is not None:
        # each waits in a thread, and there are few of them otherwise
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(worlds + THREADS))
    shared = session.shared
    model_client = open_client(experiment, ledger, session.say, None if shared is None else shared.calls)
    display.stats = model_client.stats
    bench = AsyncExitStack()
    try:
        with on_interrupt(model_client.transport.halt, display.say):
            for model in experiment.models:
                if provider_of(model) == WEIGHTS:
                    with refused(ModelFault):
                        await model_client.load(model)
            if shared is not None:
                most = spec.engine.max_connections
                await bench.enter_async_context(divide_connections(shared, model_client, most))
            experiment = await bench.enter_async_context(command_bench(experiment, ledger, model_client))
            world = experiment.given.open_world(spec)
            embedder = open_embedder(spec.retrieval.embedder, model_client)
            run = RunContext(experiment, world, embedder, model_client, ledger, display)
            if spec.mode == "stream":
                return await run_streams(run, session)
            if not any(spec.condensers[name].review == "human" for name in experiment.design.memories):
                return await run_frozen(run, session)
            halted = model_client.transport.refuse_halted
            async with reviews(ledger, spec.review.blind, display, halted, session.serve_page) as opened:
                return await run_frozen(replace(run, reviews=opened), session)
    except ReviewWaits as waits:
        # no address: nothing answers there before this command is given
        command = f"memtrial review {shlex.quote(str(ledger.path.parent))}"
        n_drafts = how_many(waits.drafts, "draft")
        return Ending("review", f"{n_drafts} wait for a person; `{command}` opens the page to decide on them")
    except HaltFault as fault:
        return ending_of(fault)
    except StoreFault as fault:
        raise RunFault(f"{fault}; {RESUME}") from fault
    finally:
        await bench.aclose()
        await model_client.close()


def stated_identity(experiment: Experiment) -> dict[str, JsonValue]:
    """All that determines the trials: the spec's values, and digests of the texts and files it uses."""
    files = {f"digest of {name}": value for name, value in experiment.digests.items()}
    return identity_of(experiment.spec) | files


def begin(experiment: Experiment, ledger: LedgerStore, folder: Path, ways: str = ANEW) -> None:
    """Write the run's identity into a new ledger.

    Raises SpecFault: the folder holds another experiment; `ways` is what the user may do then.
    """
    identity = stated_identity(experiment)
    refuse_changed(folder, identity_in_force(ledger), identity, ways)
    if ledger.fact("identity") is None:
        ledger.state("identity", identity)


def write_resolved(spec: Spec) -> str:
    """The whole spec as YAML."""
    import yaml

    return yaml.safe_dump(json.loads(spec.model_dump_json()), sort_keys=False, allow_unicode=True)


def _damage_fault(path: Path, fault: DatabaseFault) -> SpecFault:
    return SpecFault(
        f"an intact ledger is needed; {path} is corrupt: {fault}; use --out with another folder, or"
        " --clean to start again"
    )
