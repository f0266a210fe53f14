"""A folder of runs: how each stands and what its report answers, cheaply."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from memtrial.console.escape import shorten
from memtrial.pages.view.opened_run import RESULTS, OpenedRun, read_results
from memtrial.pages.view.run_grid import answers_of
from memtrial.reports.text.backbone_answers import BackboneAnswer
from memtrial.runs.run_folder.folder import LEDGER, going_on

MOST_RUNS = 500
MOST_SAID = 300


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """One run: `state` is running, reported or no report yet."""

    name: str
    state: str
    question: str
    simulated: bool
    answers: tuple[BackboneAnswer, ...]
    written: float


@dataclass
class RunShelf:
    """The runs of a folder by name, each opened when it is first looked at.

    Args:
        place: the folder of one run, or one that holds folders of runs.
    """

    place: Path
    unmask: bool = False
    _opened: dict[str, OpenedRun] = field(default_factory=dict)
    _rows: dict[str, tuple[int, ShelfRow]] = field(default_factory=dict)

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
        report, running = folder / RESULTS, going_on(folder)
        written = report.stat().st_mtime_ns if report.is_file() else 0
        kept = self._rows.get(name)
        if kept is None or kept[0] != written:
            results = read_results(folder) if written else None
            row = ShelfRow(
                name=name,
                state="reported" if results else "no report yet",
                question=shorten(results.question, MOST_SAID) if results else "",
                simulated=results is not None and results.simulated,
                answers=answers_of(results),
                written=(folder / LEDGER).stat().st_mtime,
            )
            self._rows[name] = kept = (written, row)
        _, row = kept
        return replace(row, state="running") if running else row

    def run(self, name: str) -> OpenedRun | None:
        """The run of a name; None where the folder has none."""
        if name not in self._opened:
            folder = self.folders().get(name)
            if folder is None:
                return None
            self._opened[name] = OpenedRun(folder, self.unmask)
        return self._opened[name]

    def close(self) -> None:
        """Let go of all that was opened."""
        for opened in self._opened.values():
            opened.close()
