"""The files of a run's results: results.json, and the report for people."""

from pathlib import Path

from memtrial.api.shown.second_process import compute_beside
from memtrial.ledger.open_ledger import share_rows
from memtrial.ledger.run_plan import attempts
from memtrial.private_file import write_whole
from memtrial.protocols import LedgerStore
from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.markdown_report import render_markdown
from memtrial.runs.run_folder.lock_surroundings import beside_of
from memtrial.views.results.play_summary import history
from memtrial.views.results.run_results import results as results_of
from memtrial.views.rows.results import Results

PAGE, SHORT = "report.html", "report.md"


def write_reports(folder: Path, ledger: LedgerStore, unmask: bool = False, pages: bool = True) -> Results:
    """Write results.json, and report.html and report.md if these `pages` are wanted; the results."""
    with compute_beside(attempts(ledger)) as begin:
        results = results_of(ledger, beside_of(folder, ledger), unmask, begin, share_rows(ledger))
        write_whole(folder / "results.json", results.json_text())
        if pages or has_pages(folder):
            past = history(ledger)
            write_whole(folder / PAGE, render_html(results, past, begin))
            write_whole(folder / SHORT, render_markdown(results, past))
    return results


def has_pages(folder: Path) -> bool:
    """Whether a session wrote a report before: later ones renew it, or it would say what holds no more."""
    return (folder / PAGE).exists() or (folder / SHORT).exists()
