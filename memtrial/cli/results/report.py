"""`report`: results from the ledger, as JSON, HTML, Markdown and a table."""

from pathlib import Path

from memtrial.api.run import load
from memtrial.cli.options import Json, Run, Unmask
from memtrial.console.standard_output import put, put_json
from memtrial.faults import RunFault
from memtrial.reports.render.terminal import put_results
from memtrial.runs.run_folder.folder import find_run
from memtrial.views.evidence.untrusted import alarms
from memtrial.views.rows.results import Results


def report_run(named: Run = Path("logs/latest"), as_json: Json = False, unmask: Unmask = False) -> None:
    """Analyse a run's ledger anew, write its reports and print the results.

    Raises:
        SpecFault: there is no such run, a file of it is a link, or it has not come as far as its first trial.
        RunFault: memory text did not reach a prompt, or rows were changed; said after the results were shown.
    """
    results = load(named, unmask, write=True)
    show(results, find_run(named), as_json)
    if warnings := alarms(results.untrusted, results.delivery):
        raise RunFault(" ".join(warnings))


def show(results: Results, folder: Path, as_json: bool, took: str = "") -> None:
    """The results on standard output: all of them as JSON, or the table and where the report is."""
    if as_json:
        put_json(results.model_dump(mode="json"))
        return
    put_results(results)
    put(f"{took}Report: {folder / 'report.html'}")
