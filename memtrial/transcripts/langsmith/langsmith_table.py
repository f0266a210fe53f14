"""Runs of LangSmith as a table, as its pages and data frames write them: a row a run, objects as JSON."""

import csv
from collections.abc import Iterator
from pathlib import Path

from memtrial.transcripts.log_text import LONGEST, Json, load, open_plain
from memtrial.transcripts.logged_run import LogFault

COLUMNS = ("run_type", "inputs")


def sniff_table(head: bytes) -> bool:
    """The beginning of a table whose header has the columns of runs."""
    header = head.decode("utf-8-sig", "replace").partition("\n")[0]
    return {name.strip().strip('"') for name in header.split(",")}.issuperset(COLUMNS)


def runs_of_table(path: Path) -> Iterator[tuple[str, dict[str, Json]]]:
    """Each row with its place in words. Raises LogFault: no table, or a row of another length."""
    open_plain(path)
    csv.field_size_limit(LONGEST)
    number = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file)
            heads = [head.strip() for head in next(rows, [])]
            for number, row in enumerate(filter(any, rows), 2):
                where = f"{path}, row {number}"
                if len(row) != len(heads):
                    raise LogFault(f"{where}: {len(heads)} cells are needed; got {len(row)}")
                cells = zip(heads, row, strict=True)
                yield where, {head: _value_of(cell, where) for head, cell in cells if cell}
    except (csv.Error, UnicodeDecodeError) as fault:
        raise LogFault(f"{path}, after row {number}: no table in UTF-8: {fault}") from fault


def _value_of(cell: str, where: str) -> Json:
    return load(cell, where) if cell[:1] in ("{", "[") and cell[-1:] in ("}", "]") else cell
