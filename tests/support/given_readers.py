"""What reads the tasks and the memory that somebody gave, as functions of one text."""

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from memtrial.arms.trigger_watch import watch_texts
from memtrial.commands.command_outcome import read_result
from memtrial.commands.command_spec import read_command
from memtrial.commands.process_order import CommandFault, ProcessEnd
from memtrial.delivery.shown_texts import list_shown
from memtrial.delivery.text_delivery import expect_text, is_given
from memtrial.faults import SpecFault
from memtrial.plugins.given_memory import read_memory
from memtrial.worlds.given.task_rows import read_tasks


def _in_file(name: str, text: str) -> object:
    with tempfile.TemporaryDirectory() as folder, suppress(SpecFault):
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return read_tasks(path)
    return None


def _outcome(text: str) -> object:
    with suppress(CommandFault):
        return read_result(text.encode("utf-8", "surrogatepass"))
    return None


def _command(text: str) -> object:
    with suppress(SpecFault):
        return read_command({"command": text, "base": "/nonexistent"}).name
    return None


def _remembered(text: str) -> object:
    with suppress(SpecFault):
        return read_memory(text).open(), watch_texts([text])
    return None


def _see(body: bytes, texts: tuple[str, ...]) -> object:
    shown = list_shown(body)
    return [is_given(expect_text(text), shown) for text in texts]


GIVEN_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "tasks in lines": lambda text: _in_file("t.jsonl", text),
        "a task's text": lambda text: _in_file("t.jsonl", json.dumps({"query": text, "id": text})),
        "tasks in a table": lambda text: _in_file("t.csv", f"query\n{text}"),
        "a given memory": _remembered,
        "a command": _command,
        "a command's result": _outcome,
        "a command's result as a field": lambda text: _outcome(json.dumps({"success": True, "cause": text})),
        "a command's output": lambda text: ProcessEnd(0, "", text, len(text), 0.0).last_line,
        "a request with memory": lambda text: _see(
            json.dumps({"input": [text], "system": text}).encode(), (text, f"{text}x", text[::2])
        ),
        "a request that is no JSON": lambda text: _see(text.encode("utf-8", "replace"), (text[1:],)),
    }
)
