"""`evolve`: let memories grow over streams of tasks, and say what that is worth."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import BaseUrl, Json, Mode, Out, SpecFile
from memtrial.console.display import Display
from memtrial.console.standard_output import complain, put, put_json, width_of

if TYPE_CHECKING:
    from memtrial.api.streams.evolve import EvolveResults


def evolve(
    spec: SpecFile,
    out: Out = None,
    clean: Annotated[bool, typer.Option("--clean", help="Remove what is there and begin anew.")] = False,
    base_url: BaseUrl = None,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
) -> int:
    """Let memories grow over streams of tasks: vanilla, bank, parallel and sequential tries."""
    from memtrial.api.run import RunOptions
    from memtrial.api.streams.evolve import evolve as carry_out
    from memtrial.evolution.evolve_spec import load_evolve

    wanted = load_evolve(Path(spec))
    options = RunOptions(out, clean, base_urls=tuple(base_url or ()))
    # what a user's own agent or world prints is no result
    with redirect_stdout(sys.stderr):
        results = carry_out(wanted, options, Display(display or wanted.display))
    if as_json:
        put_json(results.as_json())
    else:
        _show(results)
    ending = results.end.ending
    if ending.how == "done":
        return 0
    complain(f"stopped: {ending.why}; the same command goes on")
    return 130 if ending.how == "interrupted" else 0 if ending.how == "budget" else 1


def _show(results: EvolveResults) -> None:
    """Label, metrics, what was compared with what, and where report and tables are."""
    from memtrial.api.shown.report_files import PAGE
    from memtrial.reports.render.evolution_terminal import evolution_lines

    lines = list(evolution_lines(results.results, width_of()))
    lines.append(f"Report: {results.end.folder / PAGE}")
    lines.append(f"Tables, banks and rows: {results.end.folder}")
    put("\n".join(lines))
