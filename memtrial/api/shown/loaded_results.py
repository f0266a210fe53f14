"""`load`: the results of a run, computed anew; nothing that plays a run is loaded."""

from pathlib import Path

from memtrial.api.shown.report_files import write_reports
from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import plan_in_force
from memtrial.outcomes.given_path import path_of
from memtrial.runs.run_folder.folder import find_run, open_for_reading, refuse_links
from memtrial.runs.run_folder.lock_surroundings import beside_of
from memtrial.runs.run_folder.unmasked_look import note_unmasked
from memtrial.views.results.run_results import results as results_of
from memtrial.views.rows.results import Results


def load(run: str | Path, unmask: bool = False, write: bool = False) -> Results:
    """Analyse a run's ledger anew.

    Args:
        run: its folder, or its name below logs.
        unmask: name the arms of a lock that is not complete, and note that in the ledger.
        write: write results.json, report.html and report.md into the folder.

    Raises:
        SpecFault: there is no such run, a file of it is a link, or it has not come as far as its first trial.
    """
    named = path_of(run, "a run folder", SpecFault)
    refuse_links(find_run(named))
    if unmask:
        note_unmasked(find_run(named), "report")
    with open_for_reading(named) as (folder, ledger):
        if plan_in_force(ledger) is None:
            raise SpecFault(f"{folder} has not come as far as its first trial; run its spec again")
        if write:
            return write_reports(folder, ledger, unmask)
        return results_of(ledger, beside_of(folder, ledger), unmask)
