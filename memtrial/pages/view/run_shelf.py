"""A folder of runs: how each stands and what its report answers, cheaply."""

from dataclasses import dataclass, field
from pathlib import Path

from memtrial.console.escape import shorten
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.read_only import peek_trials
from memtrial.pages.view.opened_run import RESULTS, OpenedRun, read_results
from memtrial.pages.view.run_grid import answers_of
from memtrial.private_file import database_files
from memtrial.reports.text.backbone_answers import BackboneAnswer
from memtrial.runs.run_folder.folder import LEDGER, going_on

MOST_RUNS = 500
MOST_SAID = 300
RUNNING = "running"
Stamp = tuple[int, ...]
"""What changes when the files of a run do."""


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """One run.

    Args:
        state: whether it goes on, is at its end or was stopped, and how many trials it has.
        fault: why it cannot be read; empty where it can be.
        reported: there is a report that this version can read.
        written: when the ledger was, in seconds since 1970.
    """

    name: str
    state: str
    fault: str
    reported: bool
    question: str
    simulated: bool
    answers: tuple[BackboneAnswer, ...]
    written: float

    @property
    def running(self) -> bool:
        return self.state.startswith(RUNNING)


@dataclass
class RunShelf:
    """The runs of a folder by name, each opened when it is first looked at.

    Args:
        place: the folder of one run, or one that holds folders of runs.
    """

    place: Path
    unmask: bool = False
    _opened: dict[str, OpenedRun] = field(default_factory=dict)
    _rows: dict[str, tuple[Stamp, ShelfRow]] = field(default_factory=dict)

    @property
    def single(self) -> str:
        """The name of the run where the place is the folder of one; else empty."""
        return self.place.resolve().name if (self.place / LEDGER).is_file() else ""

    def folders(self) -> dict[str, Path]:
        """Folders of runs by name, sorted; links are passed over, as `latest` is one."""
        if self.single:
            return {self.single: self.place}
        listed = sorted(self.place.iterdir())
        runs = [path for path in listed if not path.is_symlink() and (path / LEDGER).is_file()]
        return {path.name: path for path in runs[:MOST_RUNS]}

    def rows(self) -> tuple[ShelfRow, ...]:
        """A row a run, the latest first."""
        rows = (self._row(name, folder) for name, folder in self.folders().items())
        return tuple(sorted(rows, key=lambda row: -row.written))

    def _row(self, name: str, folder: Path) -> ShelfRow:
        """The row of a run; what was read of its files is kept until they change."""
        running = going_on(folder)
        files = (*database_files(folder / LEDGER), folder / RESULTS)
        stamp = (running, *(path.stat().st_mtime_ns if path.exists() else 0 for path in files))
        kept = self._rows.get(name)
        if kept is None or kept[0] != stamp:
            self._rows[name] = kept = (stamp, _read_row(name, folder, running, self.unmask))
        return kept[1]

    def run(self, name: str) -> OpenedRun | None:
        """The run of a name; None where the folder has none."""
        if name not in self._opened:
            folder = self.folders().get(name)
            if folder is None:
                return None
            self._opened.setdefault(name, OpenedRun(folder, self.unmask))
        return self._opened[name]

    def close(self) -> None:
        """Let go of all that was opened."""
        for opened in self._opened.values():
            opened.close()


def _read_row(name: str, folder: Path, running: bool, unmask: bool) -> ShelfRow:
    results, fault, state = read_results(folder, unmask), "", RUNNING if running else "stopped"
    try:
        played, planned = peek_trials(folder / LEDGER)
    except LedgerFault as unread:
        state, fault = "cannot be read", str(unread)
    else:
        if planned is not None and played >= planned and not running:
            state = "finished"
        state += ", no trial yet" if planned is None else f", {played:,} of {planned:,} trials"
    return ShelfRow(
        name=name,
        state=state,
        fault=fault,
        reported=results is not None,
        question=shorten(results.question, MOST_SAID) if results else "",
        simulated=results is not None and results.simulated,
        answers=answers_of(results),
        written=(folder / LEDGER).stat().st_mtime,
    )
