"""Processor time of verbs that compute nothing, and of looks at 100,000 trials, beside `python -c pass`.

A process that loads what every verb needs, the command line's own libraries, stands beside them.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from bench.figure import Figure, Spent, beside
from bench.view_pages import TASKS, TRIALS, fill_run

STARTS = (
    "list agents",
    "gates list",
    "schema results",
    "completion bash",
    "run --help",
    "report --help",
    "status --help",
)
BARE, LIBRARIES = ("-c", "pass"), ("-c", "import typer, typer.main, pydantic")
START_S, LOOK_S, TIMES = 0.3, 0.5, 5
"""What is wanted, in seconds of processor time."""


def figures() -> Iterator[Figure]:
    """Each verb in a process of its own; what is wanted stands as a ratio to the bare process, too."""
    libraries = median(spend(LIBRARIES).cpu_s for _ in range(TIMES))
    with tempfile.TemporaryDirectory() as place:
        run = fill_run(Path(place) / "run", TASKS)
        verbs = [(verb, tuple(verb.split()), START_S) for verb in STARTS]
        verbs += [(f"{verb} of {TRIALS:,} trials", (verb, str(run)), LOOK_S) for verb in ("status", "show")]
        for name, words, wanted in verbs:
            found = beside(partial(spend, ("-m", "memtrial", *words)), partial(spend, BARE), TIMES)
            ours, peer = (median(once.cpu_s for once in times) for times in (found.ours, found.peer))
            detail = f"{ours:.2f} and {peer:.3f} s, its libraries alone {libraries:.2f}; {wanted:g} wanted"
            yield Figure(f"memtrial {name} against python -c pass", detail, ours / peer, wanted / peer)


def spend(arguments: Sequence[str]) -> Spent:
    """What a Python process took, its start included."""
    wall, before = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(time.perf_counter() - wall, cpu)


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
