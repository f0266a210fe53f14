"""Verbs that carry an experiment out. Each imports what it needs, so that `--help` answers at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from runs.options import Json, Mode, Out, Setting, SpecFile


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
    unknown_prices: Annotated[
        bool, typer.Option("--allow-unknown-prices", help="Go on although a price is not known.")
    ] = False,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
    require_decision: Annotated[
        bool, typer.Option("--require-decision", help="Exit 3 when a primary contrast is not decided.")
    ] = False,
) -> None:
    """Run an experiment; the same command again goes on where the first one stopped."""
    from runs.commands.run import run_spec
    from runs.loading import load_spec

    options = {
        "budget.max_cost_usd": max_cost,
        "budget.allow_unknown_prices": unknown_prices or None,
        "engine.max_connections": max_connections,
        "engine.batch": batch or None,
        "display": display,
    }
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    wanted = load_spec(spec, [*(settings or ()), *given], os.environ)
    code = run_spec(wanted, out, clean, limit, wanted.display, as_json, require_decision, retry_errors)
    raise typer.Exit(code)


def plan(
    spec: SpecFile,
    settings: Setting = None,
    pilot: Annotated[
        Path | None, typer.Option("--pilot", help="A run whose trials say what one costs.", metavar="RUN")
    ] = None,
    as_json: Json = False,
) -> None:
    """Every cell, the episodes and calls, what they may cost, and what could be detected. Spends nothing."""
    from runs.commands.plan import plan_spec
    from runs.loading import load_spec

    plan_spec(load_spec(spec, settings or (), os.environ), as_json, pilot)
