"""`lock`: prepare a run, then fix everything that its analysis depends on, before the first trial."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import BaseUrl, Json, MaxCost, Out, Setting, SpecFile
from memtrial.console.display import Display, Mode
from memtrial.console.standard_output import put_either
from memtrial.faults import RunFault, SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.private_file import write_whole
from memtrial.runs.run_folder.folder import alarm_of, alone_in, folder_of, make

if TYPE_CHECKING:
    from memtrial.ledger.run_plan import Amendment, RunPlan
    from memtrial.protocols import LedgerStore


def lock(
    spec: SpecFile,
    settings: Setting = None,
    out: Out = None,
    amend: Annotated[
        str | None, typer.Option("--amend", help="Change a lock, and say why.", metavar="REASON")
    ] = None,
    max_cost: MaxCost = None,
    base_url: BaseUrl = None,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
) -> None:
    """Fix plan, memories and analysis before the first trial, so that the run is confirmatory."""
    from memtrial.api.given_spec import spec_of
    from memtrial.api.lock import amend as amend_lock
    from memtrial.api.lock import freeze, write_lock
    from memtrial.ledger.run_plan import Amendment, read_numbered, stated_lock, stated_plan
    from memtrial.pages.page_server import serve_run_page
    from memtrial.plugins.elsewhere_agent import ELSEWHERE
    from memtrial.protocol.lock_check import lock_file
    from memtrial.runs.engine.schedule import Session
    from memtrial.runs.engine.session import ledger_of, refuse_other, run_session, write_resolved
    from memtrial.runs.run_folder.folder import SPEC
    from memtrial.runs.setup.preflight import check_spec

    options = {"budget.max_cost_usd": max_cost, "display": display}
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    wanted = spec_of(spec, [*(settings or ()), *given])
    if wanted.mode == "stream":
        raise SpecFault("a lock fixes memory before the first trial; mode: stream makes it during the run")
    amending = amend is not None
    if amend is not None and not amend.strip():
        raise SpecFault("--amend needs a reason in words; got an empty text")
    # what a user's own memory or world prints is no result
    with redirect_stdout(sys.stderr):
        experiment = check_spec(wanted, base_urls=base_url or ())
    folder = folder_of(wanted, out)
    if amending and not (folder / "ledger.sqlite").is_file():
        raise SpecFault(f"--amend needs a run that is locked; {folder} holds none: lock it first")
    if alarm := alarm_of(refuse_other(folder, experiment, amending)):
        raise SpecFault(f"a lock needs an intact ledger; {folder}: {alarm}")
    make(folder)
    with redirect_stdout(sys.stderr), alone_in(folder), ledger_of(folder, experiment, amending) as ledger:
        _refuse(folder, ledger, amending)
        # this session prepares the trials and locks them instead of playing them
        session = Session(
            freeze=lambda blocks, plan: (
                freeze(experiment, ledger, blocks, plan)
                if amend is None
                else amend_lock(experiment, ledger, blocks, plan, amend)
            ),
            amending=amending,
            serve_page=serve_run_page,
        )
        ending = run_session(experiment, folder, ledger, Display(display or wanted.display), session)
        if ending.how != "done":
            raise RunFault(f"nothing was locked: {ending.why or ending.how}; run the same command to resume")
        write_lock(folder, ledger)
        if amending:
            write_whole(folder / SPEC, write_resolved(wanted))
        stated, plan, amended = stated_lock(ledger), stated_plan(ledger), read_numbered(ledger, Amendment)
    # print after the folder is closed: a closed pipe can then do no harm
    lines = _lines(folder, stated.digest, plan, amended, wanted.agent == ELSEWHERE)
    put_either(lock_file(stated, amended), lines, as_json)


def _refuse(folder: Path, ledger: LedgerStore, amending: bool) -> None:
    from memtrial.api.lock import write_lock
    from memtrial.ledger.run_plan import count_played, read_lock
    from memtrial.runs.run_folder.lock_surroundings import LOCK_FILE

    stated = read_lock(ledger)
    if amending and stated is None:
        raise SpecFault(f"--amend needs a run that is locked; {folder} is not: lock it first")
    if amending:
        return
    if stated is not None:
        # a process may have been killed between the ledger and the file
        missing = not (folder / LOCK_FILE).exists() and write_lock(folder, ledger)
        again = " lock.json was missing and is written again." if missing else ""
        raise SpecFault(
            f"{folder} is locked since {stated.made} (digest {stated.digest[:12]}), and a lock is"
            f" never rewritten; --amend REASON adds to it.{again}"
        )
    if done := count_played(ledger):
        raise SpecFault(
            f"a lock is made before the first trial; {how_many(done, 'trial')} played in {folder}. Give the"
            " spec another name, or --out with a new folder; this run stays exploratory"
        )


def _lines(
    folder: Path, digest: str, plan: RunPlan, amended: Sequence[Amendment], elsewhere: bool
) -> Iterator[str]:
    from memtrial.protocol.monitoring import clusters_in_order, hypotheses_of, looks_of
    from memtrial.runs.run_folder.lock_surroundings import LOCK_FILE

    if amended:
        last = amended[-1]
        yield f"Amendment {len(amended)} to {folder / LOCK_FILE}: {last.reason}"
        for key, (old, new) in last.changes.items():
            yield f"  {key}: {old} -> {new}"
        yield "Reports will call this run exploratory and name this amendment."
        return
    looks = looks_of(plan)
    yield f"Locked: {folder / LOCK_FILE}, digest {digest}"
    yield (
        f"{how_many(plan.tasks, 'task')} in {how_many(len(clusters_in_order(plan)), 'cluster')},"
        f" {how_many(plan.trials, 'trial')},"
        f" {len(plan.digests)} digests of prompts, banks and world,"
        f" {len(hypotheses_of(plan))} hypotheses,"
        f" looks after {[plan.tasks] if looks is None else list(looks.counts)} tasks."
    )
    plays = "`memtrial run` with the same spec plays it."
    if elsewhere:
        plays = f"`memtrial export {folder} --slots slots.jsonl` writes what your harness is to play."
    yield (
        f"{plays} Until the run is complete, reports mask the arms"
        " wherever scores are used; publish the digest to prove when the lock was made."
    )
