"""Whatever a table comes in, as one sheet: a file, several, a folder, rows of Python, or a frame."""

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.files.csv_file import read_csv_file
from memtrial.outcomes.files.eval_log_process import is_eval_log, read_eval_log
from memtrial.outcomes.files.json_rows import read_json, read_json_lines, sheet_of_rows
from memtrial.outcomes.files.parquet_claims import DamageFault
from memtrial.outcomes.files.parquet_process import texts_of
from memtrial.outcomes.files.text_encoding import encoding_of
from memtrial.outcomes.given_path import path_of, show_text
from memtrial.outcomes.sheet import Frame, Sheet, sheet_of_frame, unreadable
from memtrial.outcomes.table_fault import TableFault

Table = str | os.PathLike[str] | Frame | Sequence[str | os.PathLike[str]] | Sequence[Mapping[str, object]]
"""What outcomes come in: a file or folder, several, a frame, or a list of dicts."""

UNCHECKED = "the file carries no checksums: a damaged value in it may look like any other"
NEEDED = "a CSV, Parquet (.parquet), JSON or JSON lines file"
ENDINGS = (".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson", ".eval")
"""Files of a folder that are read; `.json`, where it holds nothing else."""
MOST_FILES = 1_000
_HEAD = 1 << 16
"""Bytes by which the form and the delimiter of a file are known."""
_PICKLES = (".pkl", ".pickle")
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How the files of Excel and of other spreadsheets begin, of today and of before 2007."""


def read_sheet(table: Table) -> Sheet:
    """Read a table; all of its columns become text. Raises TableFault: it is none, or has no rows."""
    try:
        sheet = _read(table)
    except UnicodeEncodeError as fault:
        text = show_text(str(fault.object))
        raise TableFault(f"texts of a table are Unicode; {text!r} holds half of a surrogate pair") from fault
    if not (sheet.frame.height or sheet.unread):
        raise TableFault("a table of outcomes needs one row a trial; this one has no rows below its header")
    return sheet


def files_of(table: Table) -> tuple[Path, ...]:
    """The files that a table is read from, those of a folder in the order of their names; none for a frame.

    Raises:
        TableFault: a path that is none, or a folder without tables.
    """
    if isinstance(table, str | os.PathLike):
        path = path_of(table, NEEDED, TableFault)
        return tuple(_list_folder(path)) if path.is_dir() else (path,)
    if (
        isinstance(table, list | tuple)
        and table
        and all(isinstance(path, str | os.PathLike) for path in table)
    ):
        return tuple(dict.fromkeys(path for given in table for path in files_of(given)))
    return ()


def _read(table: Table) -> Sheet:
    paths = files_of(table)
    if len(paths) == 1:
        return _read_file(paths[0]).sheet
    if paths:
        return _join([_read_file(path) for path in paths])
    if isinstance(table, list | tuple):
        return sheet_of_rows(table, "a list of dicts")
    return sheet_of_frame(table)  # type: ignore[arg-type]


def _list_folder(folder: Path) -> Iterator[Path]:
    files = []
    for parent, folders, names in os.walk(folder):
        folders.sort()  # the walk goes on in this order
        files += [Path(parent, name) for name in sorted(names) if not name.startswith(".")]
    tables = [path for path in files if path.suffix.lower() in ENDINGS]
    tables = tables or [path for path in files if path.suffix.lower() == ".json"]
    if not tables:
        raise unreadable(folder, f"is a folder that holds none ({', '.join(ENDINGS)})")
    if len(tables) > MOST_FILES:
        raise TableFault(f"at most {MOST_FILES:,} files are read; {folder} has {len(tables):,}")
    yield from tables


@dataclass(frozen=True, slots=True, eq=False)
class _TableFile:
    """A file as it was read, and what tells it from others, by word; nothing where only its name does."""

    path: Path
    sheet: Sheet
    made_by: Mapping[str, str]


def _why_no_file(path: Path) -> str:
    if path.is_dir():
        return "is a folder"
    if path.exists() or path == Path("-"):  # a table is read more than once
        return "is no plain file: save what comes through a pipe, and name that file"
    return "is not there"


def _read_file(path: Path) -> _TableFile:
    if not path.is_file():
        raise unreadable(path, _why_no_file(path))
    ending = path.suffix.lower()
    try:
        if ending in (".parquet", ".pq"):
            return _TableFile(path, _parquet_sheet(path), {})
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if not head.strip():
            raise unreadable(path, "is empty")
        if ending in _PICKLES or head[:1] == b"\x80":
            raise unreadable(
                path, "is a pickle, which can run code and is never opened: save it as CSV or JSON lines"
            )
        if is_eval_log(path, head):
            return _eval_sheet(path)
        if head.startswith(_WORKBOOKS):
            raise unreadable(path, "is a workbook or an archive: save its sheet as CSV (in Excel, CSV UTF-8)")
        encoding = encoding_of(head)
        text = head.decode(encoding, "ignore").lstrip()
        if "\0" in text:
            raise unreadable(path, "is binary: save a sheet as CSV in UTF-8")
        as_lines = ending in (".jsonl", ".ndjson")
        if text[:1] == "[" or (text[:1] == "{" and not as_lines):
            return _TableFile(path, read_json(path, encoding), {})
        if not as_lines:
            return _TableFile(path, read_csv_file(path, head, encoding), {})
        return _as_samples(path, read_json_lines(path, encoding))
    except UnicodeDecodeError as fault:
        raise unreadable(path, "is not UTF-8: save it as CSV or JSON lines in UTF-8") from fault
    except DamageFault as fault:
        raise unreadable(path, str(fault)) from fault
    except (PolarsError, OSError, csv.Error, UnicodeError) as fault:
        reason = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
        raise unreadable(path, f"cannot be read: {reason}") from fault


def _parquet_sheet(path: Path) -> Sheet:
    held = texts_of(path)
    frame = pl.DataFrame(held.columns, schema=dict.fromkeys(held.columns, pl.String))
    return Sheet(frame, held.unread, () if held.checked else (UNCHECKED,))


def _eval_sheet(path: Path) -> _TableFile:
    log = read_eval_log(path)
    frame = pl.DataFrame(log.columns, schema=dict.fromkeys(log.columns, pl.String))
    absent = max(0, log.planned - frame.height) if log.planned is not None else 0
    ended = f"{path.name} is the log of an evaluation that ended as {log.status!r}"
    notes = () if log.status == "success" else (ended,)
    return _TableFile(path, Sheet(frame, notes=notes, absent=absent), log.made_by)


def _as_samples(path: Path, sheet: Sheet) -> _TableFile:
    """Samples of lm-eval, `samples_BENCHMARK_DATE.jsonl` in a folder of the model, name their benchmark."""
    name = path.stem
    if not name.startswith("samples_") or "doc_id" not in sheet.frame.columns:
        return _TableFile(path, sheet, {})
    benchmark, _, day = name.removeprefix("samples_").rpartition("_")
    return _TableFile(path, sheet, {"benchmark": benchmark or day, "folder": path.absolute().parent.name})


def _join(files: Sequence[_TableFile]) -> Sheet:
    """One sheet of several, with a column that says of which file a row is."""
    heads = {head for file in files for head in file.sheet.frame.columns}
    column = next(name for name in ("file", "table file", "file of the table") if name not in heads)
    labels = _labels(files)
    benchmarks = {file.made_by.get("benchmark", "") for file in files}
    frames = []
    for file, label in zip(files, labels, strict=True):
        frame = file.sheet.frame
        if len(benchmarks) > 1 and "benchmark" in file.made_by:
            # each benchmark counts its documents from zero
            frame = frame.with_columns(
                pl.format(f"{file.made_by['benchmark']}/{{}}", "doc_id").alias("doc_id")
            )
        frames.append(frame.with_columns(pl.lit(label).alias(column)))
    partly = sorted(head for head in heads if any(head not in file.sheet.frame.columns for file in files))
    notes = dict.fromkeys(note for file in files for note in file.sheet.notes)
    read = f"{how_many(len(files), 'file')} read: {list_names(list(dict.fromkeys(labels)), 12)}"
    return Sheet(
        frame=pl.concat(frames, how="diagonal").fill_null(""),
        unread=tuple(dict.fromkeys(head for file in files for head in file.sheet.unread)),
        notes=(read, *notes, *((f"not in every file: {list_names(partly)}",) if partly else ())),
        files=column,
        absent=sum(file.sheet.absent for file in files),
    )


def _labels(files: Sequence[_TableFile]) -> list[str]:
    """What each file is called: by what it says of itself where that differs, else by its path."""
    words = [word for word in files[0].made_by if word != "benchmark"]
    words = [word for word in words if len({file.made_by.get(word, "") for file in files}) > 1]
    if words:
        # what was made alike bears one label, as several benchmarks of one model
        told = [", ".join(filter(None, (file.made_by.get(word, "") for word in words))) for file in files]
        return [text or file.path.stem for text, file in zip(told, files, strict=True)]
    parts = [(*file.path.absolute().parent.parts, file.path.stem) for file in files]
    while len({path[0] for path in parts}) == 1 and all(len(path) > 1 for path in parts):
        parts = [path[1:] for path in parts]
    while len({path[-1] for path in parts}) == 1 and all(len(path) > 1 for path in parts):
        parts = [path[:-1] for path in parts]
    return ["/".join(path) for path in parts]
