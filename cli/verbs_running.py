"""Verbs that carry an experiment out. Each imports what it needs, so that `--help` answers at once."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from loadbearing.cli.options import BaseUrl, Json, Mode, Out, Setting, SpecFile


def run(
    spec: SpecFile,
    settings: Setting = None,
    out: Out = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove the run folder first and begin anew.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Play this many blocks and stop; the next run goes on."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="US dollars; the run stops at a block before it.")
    ] = None,
    max_connections: Annotated[
        int | None, typer.Option("--max-connections", help="Requests in flight to one provider at most.")
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Condense, gate and judge through message batches.")
    ] = False,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Play trials again that ended as errors.")
    ] = False,
    retry_damaged: Annotated[
        bool, typer.Option("--retry-damaged", help="Play trials again that were changed after the run.")
    ] = False,
    unknown_prices: Annotated[
        bool, typer.Option("--allow-unknown-prices", help="Go on although a price is not known.")
    ] = False,
    base_url: BaseUrl = None,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
    require_decision: Annotated[
        bool, typer.Option("--require-decision", help="Exit 3 when a primary contrast is not decided.")
    ] = False,
) -> None:
    """Run an experiment; the same command again goes on where the first one stopped."""
    from loadbearing.cli.experiment.run import run_spec
    from loadbearing.runs.spec.load import load_spec

    options = {
        "budget.max_cost_usd": max_cost,
        "budget.allow_unknown_prices": unknown_prices or None,
        "engine.max_connections": max_connections,
        "engine.batch": batch or None,
        "display": display,
    }
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    wanted = load_spec(spec, [*(settings or ()), *given], os.environ)
    code = run_spec(
        wanted,
        out,
        clean,
        limit,
        wanted.display,
        as_json,
        require_decision,
        retry_errors,
        base_urls=base_url or (),
        retry_damaged=retry_damaged,
    )
    raise typer.Exit(code)


def lock(
    spec: SpecFile,
    settings: Setting = None,
    out: Out = None,
    amend: Annotated[
        str | None, typer.Option("--amend", help="Add a change to a lock, and why.", metavar="REASON")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="US dollars that the preparation may spend.")
    ] = None,
    base_url: BaseUrl = None,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
) -> None:
    """Prepare a run and fix its plan, memories and analysis before the first trial: confirmatory."""
    from loadbearing.cli.experiment.lock import lock_spec
    from loadbearing.runs.spec.load import load_spec

    options = {"budget.max_cost_usd": max_cost, "display": display}
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    wanted = load_spec(spec, [*(settings or ()), *given], os.environ)
    raise typer.Exit(lock_spec(wanted, out, wanted.display, as_json, amend, base_urls=base_url or ()))
