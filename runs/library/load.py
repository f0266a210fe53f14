"""What a run found, from its folder."""

from pathlib import Path

from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.store import Ledger
from loadbearing.reports.model.results import Results
from loadbearing.reports.render.html import render_html
from loadbearing.reports.render.markdown import render_markdown
from loadbearing.reports.results.play_summary import history
from loadbearing.reports.results.results import results as results_of
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.folder.run_folder import find_run, refuse_links, write_whole
from loadbearing.runs.lock.freeze import beside_of, note_unmasked


def load(run: str | Path, unmask: bool = False, write: bool = False) -> Results:
    """Analyse a run's ledger anew.

    Args:
        run: its folder, or its name below logs.
        unmask: name the arms of a lock that is not complete, and note that in the ledger.
        write: write results.json, report.html and report.md into the folder.

    Raises:
        SpecFault: there is no such run, a file of it is a link, or it has not come as far as its first trial.
    """
    named = Path(run)
    refuse_links(find_run(named))
    if unmask:
        note_unmasked(find_run(named), "report")
    with reading(named) as (folder, ledger):
        if plan_in_force(ledger) is None:
            raise SpecFault(f"{folder} has not come as far as its first trial; run its spec again")
        if write:
            return write_reports(folder, ledger, unmask)
        return results_of(ledger, beside_of(folder, ledger), unmask)


def write_reports(folder: Path, ledger: Ledger, unmask: bool = False) -> Results:
    """Write results.json, report.html and report.md; the results."""
    results, past = results_of(ledger, beside_of(folder, ledger), unmask), history(ledger)
    write_whole(folder / "results.json", results.json_text())
    write_whole(folder / "report.html", render_html(results, past))
    write_whole(folder / "report.md", render_markdown(results, past))
    return results
