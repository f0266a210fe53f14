"""Logs of Inspect (`.eval`, or its JSON), read by Inspect's own reader in a process of its own."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from memtrial.outcomes.files.parquet_process import ask_reader
from memtrial.outcomes.table_fault import TableFault

PROGRAM = "memtrial.outcomes.files.eval_log_rows"
INSTALL = "is a log of Inspect, whose own reader is needed: pip install 'memtrial[inspect]'"


@dataclass(frozen=True, slots=True)
class EvalLog:
    """The samples of one log as columns of texts.

    Args:
        made_by: what tells this log from others, by word: task, its arguments, solver, tags.
        planned: samples times epochs that the log says were to be played; None where it does not.
        status: how its evaluation ended: success, error, cancelled, or started where it did not.
    """

    columns: dict[str, list[str]]
    made_by: dict[str, str]
    planned: int | None
    status: str


def is_eval_log(path: Path, head: bytes) -> bool:
    """Whether a file says of itself that it is a log of Inspect."""
    ending = path.suffix.lower()
    as_json = ending == ".json" and head.lstrip()[:1] == b"{" and b'"version"' in head and b'"eval"' in head
    return ending == ".eval" or as_json


def read_eval_log(path: Path) -> EvalLog:
    """Read a log. Raises TableFault: Inspect is not installed; DamageFault: it cannot be read."""
    if find_spec("inspect_ai") is None:
        raise TableFault(f"{path} {INSTALL}")
    answer = ask_reader((PROGRAM, str(path.absolute())), path.stat().st_size)
    return EvalLog(answer["columns"], answer["made_by"], answer["planned"], answer["status"])
