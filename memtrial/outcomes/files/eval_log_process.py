"""Logs of Inspect (`.eval`, or its JSON), read by Inspect's own reader in a process of its own."""

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from memtrial.outcomes.files.parquet_claims import DamageFault
from memtrial.outcomes.files.parquet_process import LONGEST_S, fault_of
from memtrial.outcomes.table_fault import TableFault
from memtrial.reader_process import reader_variables

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
    within_s = LONGEST_S + (path.stat().st_size >> 20)
    command = [sys.executable, "-P", "-m", PROGRAM, str(path.absolute())]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=reader_variables(),
            timeout=within_s,
            check=False,
        )
    except subprocess.TimeoutExpired as fault:
        raise DamageFault(f"is damaged: its reader came to no end in {within_s:,} seconds") from fault
    if damage := fault_of(done.returncode, done.stderr):
        raise DamageFault(damage)
    answer = json.loads(done.stdout.splitlines()[-1])
    if "fault" in answer:
        raise DamageFault(answer["fault"])
    return EvalLog(answer["columns"], answer["made_by"], answer["planned"], answer["status"])
