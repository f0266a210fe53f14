"""Processes that a test left running, known by a word of their command line."""

import os
from contextlib import suppress
from pathlib import Path
from random import Random
from time import time_ns

_DRAWN = Random(f"{os.getpid()} {time_ns()}")


def odd_seconds() -> str:
    """A number of seconds that nobody else sleeps; the process ends by itself in the end."""
    return f"300.{_DRAWN.randrange(10**9):09d}"


def left(word: str) -> list[str]:
    """Command lines of living processes, this one apart, in which the word stands."""
    lines = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                lines.append((entry / "cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " "))
    return [line for line in lines if word in line]
