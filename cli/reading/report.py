"""`report`: results from the ledger, as JSON, HTML, Markdown and a table."""

from __future__ import annotations

from pathlib import Path

from loadbearing.ledger.store import Ledger
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.model.results import Results
from loadbearing.reports.render.html import render_html
from loadbearing.reports.render.markdown import render_markdown
from loadbearing.reports.results.history import history
from loadbearing.reports.results.results import results as results_of
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.open_run import reading, stated_plan
from loadbearing.runs.folder.run_folder import find_run, refuse_links, write_whole
from loadbearing.runs.lock.freeze import beside_of
from loadbearing.runs.lock.unmask_log import note_unmasked
from loadbearing.runs.progress.standard_output import put, put_json, put_results


def report_run(named: Path, as_json: bool, unmask: bool = False) -> None:
    """Analyse a run's ledger anew.

    Args:
        unmask: name the arms of a lock that is not complete, and note that in the ledger.

    Raises:
        SpecFault: there is no such run, a file of it is a link, or it has not come as far as its first trial.
        RunFault: memory text did not reach a prompt, or rows were changed; said after the results were shown.
    """
    refuse_links(find_run(named))
    if unmask:
        note_unmasked(find_run(named), "report")
    with reading(named) as (folder, ledger):
        if stated_plan(ledger, folder) is None:
            raise SpecFault(f"{folder} has not come as far as its first trial; run its spec again")
        results = write_reports(folder, ledger, unmask)
    show(results, folder, as_json)
    if found := alarms(results.untrusted, results.delivery):
        raise RunFault(" ".join(found))


def write_reports(folder: Path, ledger: Ledger, unmask: bool = False) -> Results:
    """Write results.json, report.html and report.md; the results."""
    results, past = results_of(ledger, beside_of(folder, ledger), unmask), history(ledger)
    write_whole(folder / "results.json", results.json_text())
    write_whole(folder / "report.html", render_html(results, past))
    write_whole(folder / "report.md", render_markdown(results, past))
    return results


def show(results: Results, folder: Path, as_json: bool, took: str = "") -> None:
    """The results on standard output: all of them as JSON, or the table and where the report is."""
    if as_json:
        put_json(results.model_dump(mode="json"))
        return
    put_results(results)
    put(f"{took}Report: {folder / 'report.html'}")
