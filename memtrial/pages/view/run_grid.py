"""A run's page: the matrix of verdicts, and below it the tasks by arms, with what memory won and lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtrial.ledger.trial_cells import Cell, CellCount, TaskCount, TaskFilter
from memtrial.outcomes.reserved_names import INTACT, NONE, WITHOUT
from memtrial.pages.view.grid_query import PER_PAGE, GridQuery, QueryFault
from memtrial.pages.view.opened_run import RunReader
from memtrial.reports.text.arm_readings import VerdictEntry, read_entry
from memtrial.reports.text.backbone_answers import BackboneAnswer, answer_backbones
from memtrial.reports.text.verdict_glossary import VerdictWord, verdict_word
from memtrial.views.lookup import in_order, judged_backbones
from memtrial.views.rows.results import Results

UTILITY = "utility"
REFERENCE: Cell = (NONE, WITHOUT)
"""The cell that all others are held against."""


class MatrixEntry(NamedTuple):
    """One cell: the verdict on it where there is one, its counts, and the query that opens its tasks."""

    verdict: VerdictWord | None
    estimate: str
    counts: CellCount | None
    address: str


class MatrixLine(NamedTuple):
    """One arm on one backbone."""

    arm: str
    entries: tuple[MatrixEntry, ...]


@dataclass(frozen=True, slots=True)
class CellMatrix:
    """Arms by conditions, one group a backbone; the first column is the utility, of the intact memory."""

    columns: tuple[str, ...]
    groups: dict[str, tuple[MatrixLine, ...]]


class GridLine(NamedTuple):
    """One task: what is counted of it, and its cells in the order of the columns."""

    task: TaskCount
    cells: tuple[CellCount | None, ...]


@dataclass(frozen=True, slots=True)
class TaskGrid:
    """Some tasks of a run, a page of them.

    Args:
        columns: arm as it is shown and condition; the reference comes first.
        labels: what of a column has to be said, as the rest is the same in all of them.
        total: tasks on all pages.
    """

    query: GridQuery
    columns: tuple[Cell, ...]
    labels: tuple[str, ...]
    lines: tuple[GridLine, ...]
    total: int
    backbones: tuple[str, ...]
    arms: tuple[str, ...]
    conditions: tuple[str, ...]
    families: tuple[str, ...]

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PER_PAGE))


def shown_cells(reader: RunReader) -> tuple[CellCount, ...]:
    """The counts of every cell, under the names that may be shown."""
    return tuple(cell._replace(arm=reader.mask.of(cell.arm)) for cell in reader.cells)


def shown_backbones(reader: RunReader) -> tuple[str, ...]:
    """Backbones that were played, in the order of the plan."""
    return in_order(reader.plan.backbones if reader.plan else (), (cell.backbone for cell in reader.cells))


def shown_arms(reader: RunReader) -> tuple[str, ...]:
    """Arms that were played but for the one without memory, in the order in which they may be shown."""
    plan = reader.mask.plan(reader.plan) if reader.plan else None
    arms = in_order(plan.arms if plan else (), (cell.arm for cell in shown_cells(reader)))
    return tuple(arm for arm in arms if arm != NONE)


def shown_conditions(reader: RunReader) -> tuple[str, ...]:
    """Kinds of damage that were played, in the order of the plan."""
    played = in_order(
        reader.plan.conditions if reader.plan else (), (cell.condition for cell in reader.cells)
    )
    return tuple(name for name in played if name not in (INTACT, WITHOUT))


def answers_of(results: Results | None) -> tuple[BackboneAnswer, ...]:
    """What the report says of each backbone; none where there is no report."""
    return () if results is None else answer_backbones(results)


def lay_matrix(reader: RunReader) -> CellMatrix:
    """All cells that were played, with the verdicts of the report as far as it has any."""
    results, conditions = reader.report.results, shown_conditions(reader)
    counts = {(cell.backbone, *cell.cell): cell for cell in shown_cells(reader)}
    judged = judged_backbones(results) if results is not None else {}
    groups = {}
    for backbone in shown_backbones(reader):
        arms = [
            arm
            for arm in shown_arms(reader)
            if arm in judged.get(backbone, ())
            or any((backbone, arm, name) in counts for name in (INTACT, *conditions))
        ]
        groups[backbone] = tuple(
            MatrixLine(
                arm,
                tuple(
                    _entry(results, counts.get((backbone, arm, name)), (backbone, arm, name))
                    for name in (INTACT, *conditions)
                ),
            )
            for arm in arms
        )
    return CellMatrix((UTILITY, *conditions), groups)


def _entry(results: Results | None, count: CellCount | None, place: tuple[str, str, str]) -> MatrixEntry:
    word, estimate = read_entry(results, *place) if results is not None else VerdictEntry("", "")
    return MatrixEntry(verdict_word(word) if word else None, estimate, count, GridQuery().of_cell(*place))


def lay_grid(reader: RunReader, query: GridQuery) -> TaskGrid:
    """The tasks that a query asks for. QueryFault: it names what the run does not hold."""
    backbones, arms, conditions = shown_backbones(reader), shown_arms(reader), shown_conditions(reader)
    backbone = query.backbone or (backbones[0] if backbones else "")
    for name, value, known in (
        ("backbone", query.backbone, backbones),
        ("arm", query.arm, arms),
        ("condition", query.condition, (INTACT, *conditions)),
    ):
        if value and value not in known:
            raise QueryFault(f"this run has no {name} {value!r}; it has {', '.join(known) or 'none yet'}")
    played = {cell.cell for cell in shown_cells(reader) if cell.backbone == backbone}
    columns = tuple(cell for cell in _columns(query, arms, conditions) if cell in played)
    own = [(reader.own_arm(arm), condition) for arm, condition in columns]
    # of two cells of one arm the second is asked about
    asked = own[-1:] if query.arm and query.condition else own
    wanted = TaskFilter(
        backbone, tuple(asked), query.family, query.outcome, query.firing, query.sort, query.mode
    )
    tasks = reader.index.tasks(wanted, PER_PAGE, PER_PAGE * (query.page - 1))
    counts = {
        (count.task, *count.cell): count
        for count in reader.index.task_cells(backbone, [task.task for task in tasks], [REFERENCE, *own])
    }
    lines = tuple(
        GridLine(task, tuple(_count(reader, counts.get((task.task, *cell))) for cell in (REFERENCE, *own)))
        for task in tasks
    )
    return TaskGrid(
        query=query,
        columns=(REFERENCE, *columns),
        labels=("without", *_labels(columns, query)),
        lines=lines,
        total=tasks[0].tasks if tasks else 0,
        backbones=backbones,
        arms=arms,
        conditions=(INTACT, *conditions),
        families=reader.families(backbone),
    )


def _columns(query: GridQuery, arms: Sequence[str], conditions: Sequence[str]) -> list[Cell]:
    """All arms, intact or as one condition leaves them; of one arm all conditions, or one beside intact."""
    if query.arm and query.condition:
        return [(query.arm, name) for name in dict.fromkeys((INTACT, query.condition))]
    if query.arm:
        return [(query.arm, name) for name in (INTACT, *conditions)]
    return [(arm, query.condition or INTACT) for arm in arms]


def _labels(columns: Sequence[Cell], query: GridQuery) -> list[str]:
    return [condition if query.arm else arm for arm, condition in columns]


def _count(reader: RunReader, count: CellCount | None) -> CellCount | None:
    return None if count is None else count._replace(arm=reader.mask.of(count.arm))
