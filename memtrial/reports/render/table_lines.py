"""A table of a report in lines of a terminal."""

from memtrial.console.line_width import columns
from memtrial.reports.text.text_table import TextTable


def table_lines(table: TextTable, width: int | None) -> list[str]:
    """The table in lines, its numbers set right; `width`: characters of a line, None for all."""
    right = [number for number, column in enumerate(table.columns) if column.kind == "number"]
    return columns([[column.head for column in table.columns], *table.rows], width, right)
