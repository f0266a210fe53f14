"""One run that is looked at: its index, its plan, its report, and the names under which it may be shown."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from memtrial.faults import refused
from memtrial.ledger.open_ledger import open_trial_index
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import RunPlan, plan_in_force
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault
from memtrial.ledger.sqlite.trial_index import TrialIndex
from memtrial.ledger.trial_cells import CellCount
from memtrial.private_file import read_private
from memtrial.protocol.hidden_names import hidden_names
from memtrial.protocol.masking import NOTHING_MASKED, Mask
from memtrial.runs.run_folder.folder import LEDGER, alarm_of, find_run, going_on
from memtrial.views.rows.results import Results

RESULTS = "results.json"
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ReportState:
    """The results that `report` wrote last, and whether trials came since; None where there are none."""

    results: Results | None
    stale: bool = False


@dataclass
class RunReader:
    """Reads one run, in one thread.

    Args:
        unmask: the arms are named although the locked data are not complete, which was noted.
    """

    folder: Path
    index: TrialIndex
    unmask: bool = False
    plan: RunPlan | None = None
    mask: Mask = NOTHING_MASKED
    running: bool = False
    cells: tuple[CellCount, ...] = ()
    _report: tuple[int, ReportState] = (0, ReportState(None))
    _families: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def look(self) -> RunReader:
        """Take in what came since the last look."""
        was_running, self.running = self.running, going_on(self.folder)
        came = self.index.follow()
        self.index.follow_codes()
        if came or not self.cells or was_running != self.running:
            ledger = self.index.ledger
            self.plan, self.cells = plan_in_force(ledger), self.index.cells()
            self._families = {}
            self.mask = NOTHING_MASKED if self.unmask else hidden_names(ledger)
        return self

    @property
    def alarm(self) -> str:
        """What to say first where rows were changed after they were written."""
        if self.index.changed:
            return (
                "ROWS WERE CHANGED AFTER THEY WERE WRITTEN, and are left out. `memtrial status` says which."
            )
        return alarm_of(self.index.ledger.damage)

    @property
    def report(self) -> ReportState:
        """The report in the folder, read anew when it was written anew."""
        try:
            written = (self.folder / RESULTS).stat().st_mtime_ns
        except OSError:
            return ReportState(None)
        if written != self._report[0]:
            self._report = written, ReportState(read_results(self.folder, self.unmask))
        results = self._report[1].results
        return ReportState(results, results is not None and count_trials(results) != self.played)

    def families(self, backbone: str) -> tuple[str, ...]:
        """Families of the tasks that a backbone played, sorted."""
        if backbone not in self._families:
            self._families[backbone] = self.index.families(backbone)
        return self._families[backbone]

    @property
    def played(self) -> int:
        """Trials, each by its last attempt."""
        return sum(cell.trials for cell in self.cells)

    def own_arm(self, shown: str) -> str:
        """The name in the ledger of an arm that is shown under another one."""
        return next((own for own, masked in self.mask.names.items() if masked == shown), shown)


def read_results(folder: Path, unmask: bool) -> Results | None:
    """The results that `report` wrote; None where there are none, or none of this version.

    Nor are those that name the arms of a lock that was not complete, unless they are to be named.
    """
    with suppress(OSError, ValidationError):
        results = Results.model_validate_json(read_private(folder / RESULTS))
        lock = results.lock
        named = lock is not None and lock.locked and not (lock.complete or lock.masked)
        return results if unmask or not named else None
    return None


def count_trials(results: Results) -> int:
    """Trials that results rest on."""
    return sum(cell.n_trials for cell in results.cells)


@dataclass
class OpenedRun:
    """A run that is read in a thread of its own, begun when somebody first asks for it."""

    folder: Path
    unmask: bool = False
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "view"))
    _opening: Future[RunReader] | None = None
    _reader: RunReader | None = None

    def is_open(self, within_s: float | None = None) -> bool:
        """Whether the run was read to its end after so many seconds; it is begun to be read where it was not.

        Raises:
            SpecFault: the ledger cannot be read.
        """
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            # what could not be opened may be mended meanwhile
            self._opening = self._thread.submit(self._open)
        try:
            with refused(LedgerFault, prefix=f"{self.folder}: "):
                reader = self._opening.result(within_s)
                if reader.index.outdated:
                    self._opening = self._thread.submit(self._open_anew, reader)
                    self._opening.result(within_s)
        except TimeoutError:
            return False
        return True

    def ask(self, question: Callable[[RunReader], Value]) -> Value:
        """What a function says of the run as it stands now; faults as above."""
        self.is_open()
        with refused(LedgerFault, DatabaseFault, prefix=f"{self.folder}: "):
            return self._thread.submit(self._answer, question).result()

    # what follows runs in the thread

    def _answer(self, question: Callable[[RunReader], Value]) -> Value:
        assert self._reader is not None
        return question(self._reader.look())

    def _open(self) -> RunReader:
        folder = find_run(self.folder)
        self._reader = RunReader(folder, open_trial_index(folder / LEDGER, going_on(folder)), self.unmask)
        return self._reader

    def _open_anew(self, before: RunReader) -> RunReader:
        # two who ask at once both see that it is outdated
        if self._reader is not before:
            return self._reader or self._open()
        before.index.close()
        return self._open()

    def close(self) -> None:
        """Let go of the ledger."""
        opening = self._opening
        if opening is not None and opening.exception() is None:
            self._thread.submit(opening.result().index.close).result()
        self._thread.shutdown()
