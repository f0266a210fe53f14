"""`report`: results from the ledger, as JSON, HTML, Markdown and a table."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memtrial.cli.options import Json, Run, Unmask
from memtrial.cli.results.paper_files import methods_of, refuse_paper, write_paper
from memtrial.cli.results.paper_options import Estimates, FigureForm, Figures, Latex, PaperChoice
from memtrial.console.standard_output import put, put_json
from memtrial.faults import RunFault
from memtrial.runs.run_folder.folder import LEDGER, find_run, open_for_reading

if TYPE_CHECKING:
    from memtrial.views.rows.results import Results


def report_run(
    named: Run = Path("logs/latest"),
    as_json: Json = False,
    unmask: Unmask = False,
    to: Annotated[
        Literal["wandb", "mlflow"] | None, typer.Option(help="Also hand the results to this tracker.")
    ] = None,
    figures: Figures = None,
    form: FigureForm = None,
    latex: Latex = None,
    estimates: Estimates = None,
    methods: Annotated[
        bool, typer.Option("--methods", help="Print a paragraph on the methods in place of the results.")
    ] = False,
) -> None:
    """Analyse a run's ledger anew, write its reports and print the results; figures and tables for a paper.

    Raises:
        SpecFault: there is no such run, a file of it is a link, or it has not come as far as its first trial.
        RunFault: memory text did not reach a prompt, or rows were changed; said after the results were shown.
    """
    from memtrial.api.interchange.tracked_results import tracked_results
    from memtrial.api.interchange.tracked_run import refuse_absent, track
    from memtrial.api.shown.loaded_results import load
    from memtrial.views.evidence.untrusted import alarms

    if to is not None:
        refuse_absent(to)
    folder, choice = find_run(named), PaperChoice(figures, form, latex, estimates, methods)
    refuse_paper(choice, (folder / LEDGER,), as_json)
    writes = os.access(folder, os.W_OK)
    results = load(named, unmask, write=writes)
    if not writes:
        put(f"no report is written: {folder} cannot be written to; copy it to have one", sys.stderr)
    write_paper(choice, results)
    if methods:
        with open_for_reading(named) as (_, ledger):
            put(methods_of(results, ledger))
    else:
        show(results, folder, as_json)
    if to is not None:
        name = track(to, tracked_results(results, folder), folder)
        put(f"handed to {to} as {name}", sys.stderr)
    if warnings := alarms(results.untrusted, results.delivery):
        raise RunFault(" ".join(warnings))


def show(results: Results, folder: Path, as_json: bool, took: str = "") -> None:
    """The results on standard output: all of them as JSON, or the table and where its report is."""
    from memtrial.reports.render.terminal import put_results

    if as_json:
        put_json(results.model_dump(mode="json"))
        return
    put_results(results)
    page = folder / "report.html"
    later = f"no report was asked for; `memtrial report {quote(str(folder))}` writes it"
    put(f"{took}Report: {page if page.exists() else later}")
