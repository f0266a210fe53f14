"""What reads the tasks and the memory that somebody gave, as functions of one text."""

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from memtrial.arms.trigger_watch import watch_texts
from memtrial.faults import SpecFault
from memtrial.plugins.given_memory import read_memory
from memtrial.worlds.given.task_rows import read_tasks


def _in_file(name: str, text: str) -> object:
    with tempfile.TemporaryDirectory() as folder, suppress(SpecFault):
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return read_tasks(path)
    return None


def _remembered(text: str) -> object:
    with suppress(SpecFault):
        return read_memory(text).open(), watch_texts([text])
    return None


GIVEN_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "tasks in lines": lambda text: _in_file("t.jsonl", text),
        "a task's text": lambda text: _in_file("t.jsonl", json.dumps({"query": text, "id": text})),
        "tasks in a table": lambda text: _in_file("t.csv", f"query\n{text}"),
        "a given memory": _remembered,
    }
)
