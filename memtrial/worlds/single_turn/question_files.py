"""The rows of a user's folder or file of questions, and which split the names of the files say."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from memtrial.faults import SpecFault
from memtrial.worlds.given.task_rows import MOST_BYTES, read_rows
from memtrial.worlds.world import Split

ENDINGS = (".jsonl", ".json", ".csv", ".parquet", ".arrow")
NEEDED = (
    "environment.questions: a file or folder of questions is needed, in JSON lines, JSON, CSV or Parquet, as"
    " AIME, MATH, GPQA, MMLU-Pro, GSM8K or HotpotQA come"
)
TRAIN, TEST, HELD = ("train", "training"), ("test", "eval"), ("dev", "val", "valid", "validation")
LISTS = ("data", "questions", "rows", "examples")
MOST_FILES = 50_000

Row = tuple[str, Split | None, Mapping[str, object]]
"""Where it stands, the split that its file's name says, and its fields."""


def list_rows(source: Path) -> Iterator[Row]:
    """All rows of a file, or of the files of a folder in the order of their names.

    A file whose name, or whose folder's, says `train` or `test` tells the split. One of validation is what
    the set lacks of the two, and is left out where it lacks neither.

    Raises:
        SpecFault: nothing is there, or a file cannot be read.
    """
    files = _list_files(source)
    words = {file: _name_words(file, source) for file in files}
    has = {
        name: any(words[file] & {*names} for file in files)
        for name, names in (("train", TRAIN), ("test", TEST))
    }
    for file in files:
        split: Split | None = None
        if words[file] & {*TRAIN}:
            split = "train"
        elif words[file] & {*TEST}:
            split = "test"
        elif words[file] & {*HELD}:
            if has["train"] and has["test"]:
                continue
            split = "test" if has["train"] else "train" if has["test"] else None
        place = file.name if source.is_file() else str(file.relative_to(source))
        for number, row in enumerate(_rows_of(file), 1):
            yield f"{place}:{number}", split, row


def _list_files(source: Path) -> list[Path]:
    if source.is_file():
        if source.suffix not in ENDINGS:
            raise SpecFault(f"{NEEDED}; {source} is of another kind")
        return [source]
    if not source.is_dir():
        why = "is no plain file or folder" if source.exists() else "is not there"
        raise SpecFault(f"{NEEDED}; {source} {why}; the questions are yours to bring: none are bundled")
    files = sorted(file for file in source.rglob("*") if file.suffix in ENDINGS and file.is_file())
    if not files:
        raise SpecFault(f"{NEEDED}; {source} holds no such file")
    if len(files) > MOST_FILES:
        raise SpecFault(f"{NEEDED}; {source} holds more than {MOST_FILES:,} files")
    return files


def _name_words(file: Path, source: Path) -> set[str]:
    """The words of a file's name and of the folders between it and the source, without its ending."""
    parts = file.relative_to(source).parts[:-1] if source.is_dir() else ()
    names = (*parts, file.stem)
    return {
        word for name in names for word in "".join(s if s.isalnum() else " " for s in name.lower()).split()
    }


def _rows_of(file: Path) -> Iterator[Mapping[str, object]]:
    rows: object
    if file.suffix in (".parquet", ".arrow", ".jsonl"):
        rows = list(read_rows(file))
    else:
        text = _read_text(file)
        rows = _read_json(text, file) if file.suffix == ".json" else _read_csv(text, file)
    for row in rows if isinstance(rows, list) else [rows]:
        if not isinstance(row, Mapping):
            raise SpecFault(f"{NEEDED}; a row of {file} is {type(row).__name__}, and no object with fields")
        yield row


def _read_text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise SpecFault(f"{NEEDED}; {file} is larger than {MOST_BYTES >> 20} MiB")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise SpecFault(f"{NEEDED}; {file} is not UTF-8: {fault}") from fault
    except OSError as fault:
        raise SpecFault(f"{NEEDED}; {file} cannot be read: {fault.strerror or fault}") from fault


def _read_json(text: str, file: Path) -> object:
    """A list of rows, an object that holds one, or one row."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise SpecFault(f"{NEEDED}; {file} is no JSON: {fault}") from fault
    if isinstance(held, dict):
        return next((held[name] for name in LISTS if isinstance(held.get(name), list)), held)
    return held


def _read_csv(text: str, file: Path) -> object:
    """Every field as its text: a number's digits are kept as they stand."""
    try:
        return list(csv.DictReader(io.StringIO(text, newline=""), restkey="more"))
    except csv.Error as fault:
        raise SpecFault(f"{NEEDED}; {file} is no CSV: {fault}") from fault
