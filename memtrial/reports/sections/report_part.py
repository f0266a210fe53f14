"""A part of a report: what it says and which tables and figures it holds."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from memtrial.reports.text.text_table import TextTable
from memtrial.views.computation import Begin

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """A figure (SVG) and the table behind it, closed until a reader opens it; either may be missing."""

    title: str
    table: TextTable | None
    figure: Callable[[], str] | None = None


@dataclass(frozen=True, slots=True)
class ReportPart:
    """One part of a report; it is left out where it holds nothing but paragraphs that explain (`says`).

    Figure and tables stand open, folds are closed; a `short` part is in the short report as well.
    """

    id: str
    title: str
    says: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    figure: Callable[[], str] | None = None
    tables: tuple[TextTable, ...] = ()
    folds: tuple[Fold, ...] = ()
    short: bool = False

    @classmethod
    def of(
        cls, id: str, title: str, *folds: Fold, says: Lines = (), lines: Lines = (), short: bool = False
    ) -> "ReportPart":
        """A part of paragraphs, lines and those folds that hold a row."""
        return cls(id, title, says, lines, folds=keep_folds(*folds), short=short)

    def __bool__(self) -> bool:
        return bool(self.lines or self.figure or self.folds or any(table.rows for table in self.tables))


def keep_folds(*folds: Fold) -> tuple[Fold, ...]:
    """The folds that hold a row, or a figure alone."""
    return tuple(fold for fold in folds if fold.table is None or fold.table.rows)


def begin_figures(parts: tuple[ReportPart, ...], begin: Begin) -> tuple[ReportPart, ...]:
    """The same parts, whose figures are begun, the last one first: a page asks for the first one first, so
    that two processes meet in the middle."""
    begun: list[ReportPart] = []
    for part in reversed(parts):
        folds = [replace(fold, figure=fold.figure and begin(fold.figure)) for fold in reversed(part.folds)]
        begun.append(replace(part, folds=tuple(folds[::-1]), figure=part.figure and begin(part.figure)))
    return tuple(begun[::-1])
