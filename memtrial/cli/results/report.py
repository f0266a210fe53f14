"""`report`: results from the ledger, as JSON, HTML, Markdown and a table."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.api.interchange.tracked_results import tracked_results
from memtrial.api.interchange.tracked_run import refuse_absent, track
from memtrial.api.run import load
from memtrial.cli.options import Json, Run, Unmask
from memtrial.console.standard_output import put, put_json
from memtrial.faults import RunFault
from memtrial.reports.render.terminal import put_results
from memtrial.runs.run_folder.folder import find_run
from memtrial.views.evidence.untrusted import alarms
from memtrial.views.rows.results import Results


def report_run(
    named: Run = Path("logs/latest"),
    as_json: Json = False,
    unmask: Unmask = False,
    to: Annotated[
        Literal["wandb", "mlflow"] | None, typer.Option(help="Also hand the results to this tracker.")
    ] = None,
) -> None:
    """Analyse a run's ledger anew, write its reports and print the results.

    Raises:
        SpecFault: there is no such run, a file of it is a link, or it has not come as far as its first trial.
        RunFault: memory text did not reach a prompt, or rows were changed; said after the results were shown.
    """
    if to is not None:
        refuse_absent(to)
    results = load(named, unmask, write=True)
    folder = find_run(named)
    show(results, folder, as_json)
    if to is not None:
        name = track(to, tracked_results(results, folder), folder)
        put(f"handed to {to} as {name}", sys.stderr)
    if warnings := alarms(results.untrusted, results.delivery):
        raise RunFault(" ".join(warnings))


def show(results: Results, folder: Path, as_json: bool, took: str = "") -> None:
    """The results on standard output: all of them as JSON, or the table and where the report is."""
    if as_json:
        put_json(results.model_dump(mode="json"))
        return
    put_results(results)
    put(f"{took}Report: {folder / 'report.html'}")
