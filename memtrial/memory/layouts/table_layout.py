"""Items in a markdown table: a column a field, or a row a field with a column for each item."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtrial.memory.layouts.fields import Field, ItemBlock, ItemLayout, Span, field_of, is_item

_LINE = re.compile(r"[^\n]*+\n?+")
_DASHES = re.compile(r"[ \t]*+\|?+(?:[ \t]*+:?-{2,}+:?[ \t]*+(?:\||(?=[\r\n]|\Z)))++[ \t\r]*+\n?+")
_BAR = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"(?i)<br[ \t]*/?>")


@dataclass(frozen=True, slots=True)
class _TableRow:
    """A line of a table: its cells, each where its text stands."""

    cells: tuple[Span, ...]
    start: int
    stop: int


def read_table(text: str) -> ItemLayout | None:
    """The items in the tables of the text; None where there is none.

    A row with more cells than the head is missed: a bar in a Trigger cannot be told from the end of a cell.
    """
    blocks: list[ItemBlock] = []
    spans: list[Span] = []
    missed = 0
    for rows in _tables(text):
        if made := [*_by_column(text, rows)] or [*_by_row(text, rows)]:
            blocks += made
            spans.append((rows[0].start, rows[-1].stop))
        if made or is_item(filter(None, (field_of(text[slice(*cell)]) for cell in rows[0].cells))):
            missed += sum(len(row.cells) > len(rows[0].cells) for row in rows)
    if not blocks:
        return ItemLayout("table", (), 0, len(text), missed=missed) if missed else None
    return ItemLayout("table", tuple(blocks), spans[0][0], spans[-1][1], missed=missed)


def _tables(text: str) -> Iterator[list[_TableRow]]:
    """The rows of each table, its head first; a line of dashes below the head makes it one."""
    rows: list[_TableRow] = []
    dashed = False
    for line in _LINE.finditer(text):
        low, high = line.span()
        bars = text.count("|", low, high)
        if bars and _DASHES.fullmatch(text, low, high):
            if not dashed and rows:
                rows, dashed = rows[-1:], True
        elif bars:
            rows.append(_TableRow(_cells(text, low, high), low, low + len(line[0].rstrip())))
        else:
            if dashed:
                yield rows
            rows, dashed = [], False
    if dashed:
        yield rows


def _cells(text: str, low: int, high: int) -> tuple[Span, ...]:
    line = text[low:high]
    left = len(line) - len(line.lstrip())
    right = len(line.rstrip())
    cuts = [low + match.start() for match in _BAR.finditer(line)]
    inner = [cut for cut in cuts if low + left < cut < low + right - 1]
    begins = [low + left + (line[left : left + 1] == "|"), *(cut + 1 for cut in inner)]
    closed = bool(cuts) and cuts[-1] == low + right - 1
    ends = [*inner, low + right - closed]
    return tuple(_strip_span(text, *ends_of_cell) for ends_of_cell in zip(begins, ends, strict=True))


def _strip_span(text: str, low: int, high: int) -> Span:
    cell = text[low:high]
    bare = cell.strip()
    start = low + len(cell) - len(cell.lstrip())
    return start, start + len(bare)


def _field(name: str, text: str, span: Span) -> Field:
    value = _BREAK.sub("\n", text[slice(*span)].replace("\\|", "|")).strip()
    return Field(name, value, (span,))


def _by_column(text: str, rows: Sequence[_TableRow]) -> Iterator[ItemBlock]:
    """An item a row, where the head names fields."""
    names = [field_of(text[slice(*cell)]) for cell in rows[0].cells]
    named = [name for name in names if name]
    if not is_item(named) or len(set(named)) < len(named):
        return
    for row in rows[1:]:
        if len(row.cells) == len(names):
            cells = zip(names, row.cells, strict=True)
            fields = tuple(_field(name, text, cell) for name, cell in cells if name)
            yield ItemBlock(fields, row.start, row.stop)


def _by_row(text: str, rows: Sequence[_TableRow]) -> Iterator[ItemBlock]:
    """An item a column, where rows begin with a field's name; one that comes again begins another item."""
    groups: list[dict[str, _TableRow]] = []
    for row in rows:
        name = field_of(text[slice(*row.cells[0])])
        if name and len(row.cells) == len(rows[0].cells) > 1:
            if not groups or name in groups[-1]:
                groups.append({})
            groups[-1][name] = row
    for group in groups:
        group_rows = [*group.values()]
        if is_item(group):
            for column in range(1, len(rows[0].cells)):
                fields = tuple(_field(name, text, row.cells[column]) for name, row in group.items())
                yield ItemBlock(fields, group_rows[0].start, group_rows[-1].stop)
