"""Verbs that read: they spend nothing and change nothing in a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from loadbearing.cli.options import Json, Run

Unmask = Annotated[
    bool,
    typer.Option("--unmask", help="Name the arms of a lock that is not complete; it is noted and reported."),
]


def report(run_folder: Run = Path("logs/latest"), unmask: Unmask = False, as_json: Json = False) -> None:
    """Say what a run found: analyse its ledger anew, print the table, write the report."""
    from loadbearing.cli.reading.report import report_run

    report_run(run_folder, as_json, unmask)


def status(
    run_folder: Run = Path("logs/latest"),
    watch: Annotated[
        bool, typer.Option("--watch", help="Show it again and again until the run ends.")
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 2.0,
    unmask: Unmask = False,
    as_json: Json = False,
) -> None:
    """How far a run is, what it cost, what went wrong, and what to do next."""
    from loadbearing.cli.reading.status import show_status

    show_status(run_folder, as_json, watch, every, unmask)


def show(
    run_folder: Run,
    trial: Annotated[
        str | None,
        typer.Argument(help="The beginning of its key, or arm/condition/task/repeat.", metavar="TRIAL"),
    ] = None,
    arm: Annotated[str | None, typer.Option(help="Only trials of this arm.")] = None,
    condition: Annotated[str | None, typer.Option(help="Only trials of this condition.")] = None,
    task: Annotated[str | None, typer.Option(help="Only trials of this task.")] = None,
    ended: Annotated[
        Literal["success", "failure", "error"] | None, typer.Option("--status", help="Only these.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Rows of the table; 0 for all.")] = None,
    as_json: Json = False,
) -> None:
    """The trials of a run, or all that was said in one of them."""
    from loadbearing.cli.reading.show import show_run

    show_run(run_folder, trial, as_json, arm, condition, task, ended, limit)


def compare(
    first: Annotated[Path, typer.Argument(help="A run.", metavar="RUN")],
    second: Annotated[Path, typer.Argument(help="Another run.", metavar="RUN")],
    as_json: Json = False,
) -> None:
    """Two runs side by side: what differs in design, verdicts, estimates and cost."""
    from loadbearing.cli.reading.compare import compare_runs

    compare_runs(first, second, as_json)


def export(
    run_folder: Run,
    out: Annotated[Path | None, typer.Option("--out", help="A new folder for the tables.")] = None,
    form: Annotated[
        Literal["parquet", "jsonl", "both"], typer.Option("--format", help="Of the tables.")
    ] = "both",
    outcomes: Annotated[
        Path | None, typer.Option("--outcomes", help="A CSV file for the outcome table alone.")
    ] = None,
) -> None:
    """Write a run's tables: trials, checks, slots, condensations, traces, calls, outcomes."""
    from loadbearing.cli.reading.export import export_run

    export_run(run_folder, out, form, outcomes)


def schema(
    shape: Annotated[
        Literal["spec", "results", "trace", "outcomes", "ledger"] | None,
        typer.Argument(help="Which; the list of them unless given.", metavar="SHAPE"),
    ] = None,
    as_json: Json = False,
) -> None:
    """The shapes of spec, results, traces, outcome tables and ledger."""
    from loadbearing.cli.reading.schema import show_schema

    show_schema(shape, as_json)
