"""`run`: carry out a spec, print the table, write the report unless it shall wait."""

from __future__ import annotations

import os
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memtrial.cli.options import BaseUrl, Json, MaxCost, Mode, Out, Setting, SharedLedger, SpecFile
from memtrial.cli.results.report import show
from memtrial.console.display import Display
from memtrial.console.standard_output import complain, put_either
from memtrial.faults import RESUME

if TYPE_CHECKING:
    from memtrial.api.run import RunEnd, RunOptions
    from memtrial.runs.spec.spec import Spec

WAITS = 4
"""The exit code of a run that stopped for a person's review."""
UNDECIDED = ("inconclusive", "untestable", "insensitive")


def run(
    spec: SpecFile,
    settings: Setting = None,
    out: Out = None,
    clean: Annotated[bool, typer.Option("--clean", help="Remove the run folder first.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Play this many blocks and stop.")] = None,
    max_cost: MaxCost = None,
    max_connections: Annotated[int | None, typer.Option(help="Requests in flight to a provider.")] = None,
    processes: Annotated[
        int | None, typer.Option(help="Processes that play trials of simulated models.")
    ] = None,
    max_environments: Annotated[
        int | None, typer.Option(help="Worlds at a time, each in a process of its own.")
    ] = None,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Play errors again.")] = False,
    unknown_prices: Annotated[
        bool, typer.Option("--allow-unknown-prices", help="Go on although a price is not known.")
    ] = False,
    base_url: BaseUrl = None,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
    require_decision: Annotated[
        bool, typer.Option("--require-decision", help="Exit 3 when a primary contrast is not decided.")
    ] = False,
    ledger: SharedLedger = None,
    prepare: Annotated[bool, typer.Option("--prepare", help="Stop before the first trial.")] = False,
    shard: Annotated[
        str | None,
        typer.Option("--shard", help="Play one part of the blocks, as 2/4, for `merge`.", metavar="I/N"),
    ] = None,
    prepared: Annotated[
        Path | None,
        typer.Option("--prepared", help="The run, prepared, that a shard begins from.", metavar="RUN"),
    ] = None,
    engine: Annotated[
        Literal["processes", "ray"] | None,
        typer.Option("--engine", help="Start workers by this, with --ledger."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", help="How many; default one for each processor.")
    ] = None,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write results.json alone; `memtrial report` writes the rest.")
    ] = False,
) -> int:
    """Run an experiment; the same command again goes on where the first one stopped."""
    from memtrial.api.run import RunOptions
    from memtrial.runs.spec.read_spec import load_spec

    options = {
        "budget.max_cost_usd": max_cost,
        "budget.allow_unknown_prices": unknown_prices or None,
        "engine.max_connections": max_connections,
        "engine.processes": processes,
        "engine.max_environments": max_environments,
        "display": display,
    }
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    wanted = load_spec(spec, [*(settings or ()), *given], os.environ)
    urls, report = tuple(base_url or ()), not no_report
    beside = (ledger, prepare, shard, prepared, engine, workers)
    asked = RunOptions(out, clean, limit, retry_errors, urls, None, *beside, report=report)
    return run_spec(wanted, asked, wanted.display, as_json, require_decision)


def run_spec(spec: Spec, options: RunOptions, mode: Mode, as_json: bool, require_decision: bool) -> int:
    """Carry out a spec and print its results; the exit code."""
    from memtrial.api.run import run as carry_out

    begun = time.monotonic()
    # what a user's own agent, world or memory prints is no result
    with redirect_stdout(sys.stderr):
        ended = carry_out(spec, options, Display(mode))
    if ended.results is not None:
        show(ended.results, ended.folder, as_json, f"{time.monotonic() - begun:.0f} s. ")
        if ended.notice:
            complain(ended.notice)
    elif ended.notice:
        folder = str(ended.folder)
        put_either(
            {"run": folder, "ended": ended.ending.how, "notice": ended.notice}, [ended.notice], as_json
        )
    return exit_code(ended, require_decision)


def exit_code(ended: RunEnd, require_decision: bool) -> int:
    """The exit code, and what a person has to know beside the table."""
    from memtrial.views.evidence.untrusted import alarms

    ending, results, on = ended.ending, ended.results, RESUME
    if ending.how == "budget":
        larger = "a larger --max-cost, budget.max_calls or budget.max_hours"
        on = f"progress is saved; run the same command with {larger} to resume"
    if ending.how == "errors":
        on = "see `memtrial status`; --retry-errors plays them again, except in mode stream"
    if ending.how == "boundary":
        complain(ending.why)
    elif ending.how not in ("done", "limit"):
        # a halt says itself what to do: a model that changed does not come back with the same command
        complain(f"stopped: {ending.why}" + ("" if ending.how == "halted" else f"; {on}"))
    warnings = alarms(results.untrusted, results.delivery) if results is not None else ()
    for alarm in warnings:
        complain(alarm)
    played = [] if results is None else [cell for cell in results.cells if cell.n_trials]
    lost = bool(played) and all(cell.n_errors == cell.n_trials for cell in played)
    if lost and ending.how != "errors":
        complain("every trial ended in an error, so nothing was measured; see `memtrial status`")
    if warnings or lost or ending.how in ("errors", "halted"):
        return 1
    if ending.how == "interrupted":
        return 130
    if ending.how == "review":
        return WAITS
    if results is None:
        return 0 if ended.notice or ending.how == "budget" else 1
    verdicts = [row.verdict for row in results.hypotheses]
    if require_decision and not verdicts:
        complain("--require-decision: the spec compares no two arms, so nothing is decided")
    decided = verdicts and not any(verdict in UNDECIDED for verdict in verdicts)
    # a spent budget is what was asked for, as --limit is
    return 3 if require_decision and not decided else 0
