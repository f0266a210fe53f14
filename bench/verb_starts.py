"""Processor time of verbs that compute nothing, and of looks at a run of 100,000 trials.

The peer is a process that loads what every verb needs, the command line's own libraries, and does nothing.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from bench.figure import Figure, Spent, beside
from bench.view_pages import TASKS, TRIALS, fill_run

STARTS = ("list agents", "schema results", "completion bash", "run --help", "report --help", "status --help")
PEER = ("-c", "import typer, typer.main, pydantic")


def figures() -> Iterator[Figure]:
    """Each verb in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        run = fill_run(Path(place) / "run", TASKS)
        looks = {f"{verb} of {TRIALS:,} trials": (verb, str(run)) for verb in ("status", "show")}
        for name, words in ({verb: tuple(verb.split()) for verb in STARTS} | looks).items():
            found = beside(partial(spend, ("-m", "memtrial", *words)), partial(spend, PEER), 5)
            ours, peer = (median(once.cpu_s for once in times) for times in (found.ours, found.peer))
            yield Figure(f"memtrial {name}", f"{ours:.2f} s, its libraries alone {peer:.2f}", found.cpu_ratio)


def spend(arguments: Sequence[str]) -> Spent:
    """What a Python process took, its start included."""
    wall, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent(time.perf_counter() - wall, cpu)


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
