"""Parquet files are read in a process of their own, which a damaged one may end without taking us along."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import Any, BinaryIO

from memtrial.outcomes.files.parquet_claims import DamageFault
from memtrial.reader_process import reader_variables

PROGRAM = "memtrial.outcomes.files.parquet_texts"
LONGEST_S = 120
"""Seconds for a file, and one more for each MiB of it."""


@dataclass(frozen=True, slots=True)
class ParquetTexts:
    """The texts of a file by column.

    Args:
        unread: columns of lists or objects.
        checked: checksums in the file prove that the texts are those that were written.
    """

    columns: dict[str, list[str]]
    unread: tuple[str, ...]
    checked: bool


def texts_of(path: Path) -> ParquetTexts:
    """Read a Parquet file. Raises DamageFault: it cannot be read, or its reader came to no end."""
    with path.open("rb") as file:
        answer = ask_reader((PROGRAM,), os.fstat(file.fileno()).st_size, file)
    return ParquetTexts(answer["columns"], tuple(answer["unread"]), answer["checked"])


def ask_reader(words: Sequence[str], size: int, file: BinaryIO | None = None) -> dict[str, Any]:
    """What a reader in a process of its own says of a file of so many bytes, in the last line that it prints.

    Args:
        words: its module, and its arguments.
        file: what it reads as its standard input; nothing unless given.

    Raises DamageFault: it cannot read the file, or came to no end.
    """
    within_s = LONGEST_S + (size >> 20)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", *words],
            stdin=subprocess.DEVNULL if file is None else file,
            capture_output=True,
            env=reader_variables(),
            timeout=within_s,
            check=False,
        )
    except subprocess.TimeoutExpired as fault:
        raise DamageFault(f"is damaged: its reader came to no end in {within_s:,} seconds") from fault
    if damage := fault_of(done.returncode, done.stderr):
        raise DamageFault(damage)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if "fault" in answer:
        raise DamageFault(answer["fault"])
    return answer


def fault_of(code: int, errors: bytes) -> str:
    """Why a reader gave no answer, by its exit code and what it said; empty where it gave one."""
    if code < 0:
        known = {signal.value: f" ({signal.name})" for signal in Signals}
        return f"is damaged: its reader was ended by signal {-code}{known.get(-code, '')}"
    last = (errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"])[-1]
    return f"cannot be read: its reader ended with code {code}: {last}" if code else ""
