"""Runs of LangSmith as a table, as its pages and data frames write them: a row a run, objects as JSON."""

from collections.abc import Iterator
from pathlib import Path

from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_fault import TableFault
from memtrial.transcripts.log_text import Json, load, open_plain
from memtrial.transcripts.logged_run import LogFault

COLUMNS = ("run_type", "inputs")


def sniff_table(head: bytes) -> bool:
    """The beginning of a table whose header has the columns of runs."""
    header = head.decode("utf-8-sig", "replace").partition("\n")[0]
    names = {name.strip().strip('"') for name in header.replace(";", ",").replace("\t", ",").split(",")}
    return names.issuperset(COLUMNS)


def runs_of_table(path: Path) -> Iterator[tuple[str, dict[str, Json]]]:
    """Each row with its place in words. Raises LogFault: no table."""
    open_plain(path)
    try:
        frame = read_sheet(path).frame
    except TableFault as fault:
        raise LogFault(str(fault)) from fault
    for number, row in enumerate(frame.iter_rows(named=True), 2):
        where = f"{path}, row {number}"
        yield where, {name: _value_of(cell, where) for name, cell in row.items() if cell}


def _value_of(cell: str, where: str) -> Json:
    return load(cell, where) if cell[:1] in ("{", "[") and cell[-1:] in ("}", "]") else cell
