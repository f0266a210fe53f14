"""Two runs, one cell of each, task by task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memtrial.ledger.trial_cells import CellCount
from memtrial.pages.view.grid_query import QueryFault, read_page
from memtrial.pages.view.opened_run import OpenedRun, RunReader

CellTasks = Mapping[str, CellCount]
Place = tuple[str, str, str]
"""Backbone, arm and condition."""
NOWHERE: Place = ("", "", "")


class RunCells(NamedTuple):
    """What of a run is compared: the cells that it played, and one of them task by task."""

    name: str
    cells: tuple[Place, ...]
    tasks: CellTasks


class ComparedTask(NamedTuple):
    """A task that both runs played, and by how much the second solved it more often, as a share."""

    task: str
    first: CellCount
    second: CellCount
    difference: float


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs in one cell.

    Args:
        choices: cells that both played.
        lines: tasks of both, the largest differences first; `more`, `less`: solved more or less often in the
            second. No test is made of it: tasks alone are paired.
    """

    first: str
    second: str
    place: Place
    choices: tuple[Place, ...]
    lines: tuple[ComparedTask, ...]
    more: int
    less: int
    only: tuple[int, int]


def read_cells(reader: RunReader, name: str, place: Place | None) -> RunCells:
    """The cells of a run, and one of them by task. QueryFault: its arms are masked."""
    if reader.mask:
        raise QueryFault(f"arms of {name} are masked until its locked data are complete; compare it then")
    cells = tuple((cell.backbone, *cell.cell) for cell in reader.cells)
    counts = reader.index.cell_tasks(*place) if place else ()
    return RunCells(name, cells, {count.task: count for count in counts})


def read_pair(first: tuple[str, OpenedRun], second: tuple[str, OpenedRun | None], number: str) -> RunPair:
    """Two runs, by name, in the cell of a number, from 1, of those that both have; the first alone where
    there is no second. QueryFault: arms are masked, or it is no number."""
    (name, run), (other_name, other) = first, second
    mine = run.ask(lambda reader: read_cells(reader, name, None))
    if other is None:
        return compare_cells(mine, RunCells("", (), {}), NOWHERE)
    theirs = other.ask(lambda reader: read_cells(reader, other_name, None))
    shared = compare_cells(mine, theirs, NOWHERE).choices
    if not shared:
        return compare_cells(mine, theirs, NOWHERE)
    place = shared[min(read_page(number), len(shared)) - 1]
    mine = run.ask(lambda reader: read_cells(reader, name, place))
    theirs = other.ask(lambda reader: read_cells(reader, other_name, place))
    return compare_cells(mine, theirs, place)


def compare_cells(first: RunCells, second: RunCells, place: Place) -> RunPair:
    """The tasks of both, side by side."""
    theirs = frozenset(second.cells)
    both = first.tasks.keys() & second.tasks.keys()
    lines = [_line(first.tasks[task], second.tasks[task]) for task in both]
    lines.sort(key=lambda line: (-abs(line.difference), line.task))
    return RunPair(
        first=first.name,
        second=second.name,
        place=place,
        choices=tuple(cell for cell in first.cells if cell in theirs),
        lines=tuple(lines),
        more=sum(line.difference > 0 for line in lines),
        less=sum(line.difference < 0 for line in lines),
        only=(len(first.tasks.keys() - both), len(second.tasks.keys() - both)),
    )


def _line(first: CellCount, second: CellCount) -> ComparedTask:
    return ComparedTask(first.task, first, second, _share(second) - _share(first))


def _share(count: CellCount) -> float:
    ended = count.trials - count.errors
    return count.solved / ended if ended else 0.0
