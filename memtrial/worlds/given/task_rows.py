"""Tasks from what people have: a list, a frame, JSON lines, a data set on disk, or samples of Inspect."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from memtrial.faults import SpecFault
from memtrial.reader_process import reader_variables
from memtrial.worlds.world import Task

PROGRAM = "memtrial.worlds.given.frame_rows"
LONGEST_S = 120
"""Seconds for a file of a frame, and one more for each MiB of it."""
QUERY = ("query", "prompt", "input", "question", "task", "problem", "instruction")
IDS = ("id", "task_id")
FAMILY = ("family", "cluster", "category")
TEMPLATE = ("template",)
"""Names of the fields that stand for a part of a task; the first that a row has counts."""
MOST_BYTES = 512 * 1024 * 1024
MOST_TASKS = 100_000
NEEDED = (
    "tasks are a list of texts or rows, a frame, a file of JSON lines, Parquet or CSV, the folder of a data"
    " set, or samples of Inspect"
)


def read_tasks(given: object) -> tuple[Task, ...]:
    """The tasks, each with an id of its own; a row without an id is named by its place, from 1.

    Raises:
        SpecFault: nothing that holds tasks, none at all, one without a text, or two of the same id.
    """
    tasks: list[Task] = []
    for number, row in enumerate(_rows_of(given), 1):
        if number > MOST_TASKS:
            raise SpecFault(f"at most {MOST_TASKS:,} tasks can be played; got more")
        tasks.append(_task_of(row, number))
    if not tasks:
        raise SpecFault("at least one task is needed; got none")
    twice = [name for name, times in Counter(task.id for task in tasks).items() if times > 1]
    if twice:
        raise SpecFault(f"each task needs an id of its own; got {twice[0]!r} more than once")
    return tuple(tasks)


@dataclass(frozen=True, slots=True)
class TaskFields:
    """A row by its fields, and how they are called."""

    row: Mapping[str, object]

    def take(self, names: tuple[str, ...], default: str = "") -> str:
        """The first of these fields that the row has, as a text."""
        # a gap in a frame of pandas is the number that equals nothing
        held = ((name, self.row.get(name)) for name in names)
        return next((text_in(value) for _, value in held if value is not None and value == value), default)


def _task_of(row: object, number: int) -> Task:
    if isinstance(row, Task):
        return row
    if isinstance(row, str):
        row = {"query": row}
    named = TaskFields(_fields_of(row, number))
    query = named.take(QUERY)
    if not query.strip():
        there = ", ".join(map(str, named.row)) or "nothing"
        raise SpecFault(f"task {number} needs a text under one of {', '.join(QUERY)}; its fields: {there}")
    name = named.take(IDS, str(number))
    return Task(name, query, named.take(FAMILY), named.take(TEMPLATE), "test", dict(named.row))


def _fields_of(row: object, number: int) -> Mapping[str, object]:
    if isinstance(row, Mapping):
        return row
    if is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in fields(row)}
    dump = getattr(row, "model_dump", None)
    if callable(dump):  # a sample of Inspect, or any other model of pydantic
        raw = dict(dump(exclude_none=True))
        return {**raw.pop("metadata", {}), **raw}
    raise SpecFault(f"{NEEDED}; task {number} is {type(row).__name__}")


def text_in(value: object) -> str:
    """A field as a text: of a chat the texts of its messages, one below the other."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n\n".join(filter(None, map(text_in, value)))
    if isinstance(value, Mapping):
        return text_in(value.get("content") or value.get("text") or "")
    return str(value)


def _rows_of(given: Any) -> Iterable[object]:
    if isinstance(given, str | Path):
        return read_rows(Path(given))
    if callable(getattr(given, "to_dicts", None)):  # polars
        return list(given.to_dicts())
    if callable(getattr(given, "to_dict", None)) and hasattr(given, "columns"):  # pandas
        return list(given.to_dict("records"))
    if isinstance(given, Iterable) and not isinstance(given, Mapping | bytes):
        return given
    raise SpecFault(f"{NEEDED}; got {type(given).__name__}")


def read_rows(path: Path) -> Iterable[object]:
    """The rows of a file, or of all files of a data set's folder, in the order of their names."""
    if path.is_dir():
        files = sorted(
            file
            for file in path.rglob("*")
            if file.suffix in (".arrow", ".parquet", ".jsonl") and file.is_file()
        )
        if not files:
            raise SpecFault(f"{NEEDED}; {path} holds no file of Arrow, Parquet or JSON lines")
        return [row for file in files for row in _rows_in(file)]
    if not path.is_file():
        why = "is no plain file" if path.exists() else "is not there"
        raise SpecFault(f"{NEEDED}; {path} {why}")
    return _rows_in(path)


def _rows_in(path: Path) -> Iterable[object]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SpecFault(f"{NEEDED}; {path} is larger than {MOST_BYTES // 1024**2} MiB")
        if path.suffix in (".parquet", ".arrow", ".csv"):
            return _read_frame(path)
        return _read_lines(path)
    except OSError as fault:
        raise SpecFault(f"{NEEDED}; {path} cannot be read: {fault.strerror or fault}") from fault


def _read_frame(path: Path) -> Iterable[object]:
    """The rows of a frame, read by a process that a damaged file may end."""
    command = [sys.executable, "-P", "-m", PROGRAM, str(path.absolute())]
    within_s = LONGEST_S + (path.stat().st_size >> 20)
    try:
        done = subprocess.run(
            command, capture_output=True, env=reader_variables(), timeout=within_s, check=False
        )
    except subprocess.TimeoutExpired as fault:
        raise SpecFault(f"{NEEDED}; {path} is damaged: its reader came to no end") from fault
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = told[-1] if told and done.returncode == 1 else f"its reader ended with code {done.returncode}"
        raise SpecFault(f"{NEEDED}; {path} cannot be read: {why}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _read_lines(path: Path) -> Iterable[object]:
    rows: list[object] = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise SpecFault(f"{NEEDED}; {path} is not UTF-8: {fault}") from fault
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError) as fault:
            raise SpecFault(f"{path}, line {number}: a JSON object is needed: {fault}") from fault
    return rows
