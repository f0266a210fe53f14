"""A folder of runs: how each stands and what its report answers, cheaply."""

from dataclasses import dataclass, field
from pathlib import Path

from memtrial.console.escape import shorten
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.read_only import peek_trials
from memtrial.pages.view.evolution_page import evolution_state, read_evolution
from memtrial.pages.view.opened_run import RESULTS, OpenedRun, read_results
from memtrial.pages.view.run_grid import answers_of
from memtrial.private_file import database_files
from memtrial.reports.text.backbone_answers import BackboneAnswer
from memtrial.reports.text.evolution_text import answer_evolution
from memtrial.runs.run_folder.folder import EVOLUTION_RESULTS, LEDGER, going_on, is_evolution

MOST_RUNS = 500
"""Listed at once; all can be opened by name."""
MOST_SAID = 300
RUNNING = "running"
Stamp = tuple[int, ...]
"""What changes when the files of a run do."""


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """One run, or one evolution.

    Args:
        maker: the command that writes its report.
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
    running: bool
    maker: str = "memtrial report"


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
        return {path.name: path for path in runs}

    def runs(self) -> dict[str, Path]:
        """The folders without those of evolutions, which hold no trials."""
        return {name: folder for name, folder in self.folders().items() if not is_evolution(folder)}

    def rows(self) -> tuple[ShelfRow, ...]:
        """A row a run, the latest first, and no more than `MOST_RUNS`."""
        latest = sorted(self.folders().items(), key=lambda entry: -_written(entry[1]))
        return tuple(self._row(name, folder) for name, folder in latest[:MOST_RUNS])

    def evolution(self, name: str) -> Path | None:
        """The folder of the evolution of a name; None where the folder has none."""
        folder = self.folders().get(name)
        return folder if folder is not None and is_evolution(folder) else None

    def _row(self, name: str, folder: Path) -> ShelfRow:
        """The row of a run; what was read of its files is kept until they change."""
        running = going_on(folder)
        files = (*database_files(folder / LEDGER), folder / RESULTS, folder / EVOLUTION_RESULTS)
        stamp = (running, *(path.stat().st_mtime_ns if path.exists() else 0 for path in files))
        kept = self._rows.get(name)
        if kept is None or kept[0] != stamp:
            read = _evolution_row if is_evolution(folder) else _run_row
            self._rows[name] = kept = (stamp, read(name, folder, running, self.unmask))
        return kept[1]

    def run(self, name: str) -> OpenedRun | None:
        """The run of a name; None where the folder has none. An evolution is no run."""
        if name not in self._opened:
            folder = self.runs().get(name)
            if folder is None:
                return None
            self._opened.setdefault(name, OpenedRun(folder, self.unmask))
        return self._opened[name]

    def close(self) -> None:
        """Let go of all that was opened."""
        for opened in self._opened.values():
            opened.close()


def _written(folder: Path) -> float:
    """When the ledger was, in seconds since 1970."""
    return (folder / LEDGER).stat().st_mtime


def _evolution_row(name: str, folder: Path, running: bool, _unmask: bool) -> ShelfRow:
    results = read_evolution(folder)
    return ShelfRow(
        name=name,
        state=evolution_state(results, running),
        fault="",
        reported=results is not None,
        question=shorten(results.question, MOST_SAID) if results else "",
        simulated=results is not None and results.simulated,
        answers=answer_evolution(results) if results else (),
        written=_written(folder),
        running=running,
        maker="memtrial evolve",
    )


def _run_row(name: str, folder: Path, running: bool, unmask: bool) -> ShelfRow:
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
        written=_written(folder),
        running=running and not fault,
    )
