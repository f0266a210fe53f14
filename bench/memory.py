"""Peak memory of a whole run through the command line, with few and with many trials."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure
from tests.support.small import write_spec

FEW, MANY = 20, 200
"""Repeats."""
CELLS, TASKS = 5, 20
SPEC = f"""
name: bench
environment: {{world: workshop, train: 24, test: {TASKS}}}
backbone: simulated/ignorer
arms: [none, oracle]
conditions: [filler, corrupt_invert, irrelevant_swap]
analysis: {{flips: 199}}
engine: {{workers: 1}}
"""


def figures() -> Iterator[Figure]:
    """Ten times the trials in the same world."""
    few, many = (_peak(repeats) for repeats in (FEW, MANY))
    sizes = [CELLS * TASKS * repeats for repeats in (FEW, MANY)]
    yield Figure(
        f"peak memory of {sizes[1]:,} trials against {sizes[0]:,}",
        f"{many[0]:.0f} and {few[0]:.0f} MB, in {many[1]:.0f} and {few[1]:.0f} s",
        many[0] / few[0],
        1.10,
    )


def _peak(repeats: int) -> tuple[float, float]:
    """Megabytes and seconds of one run."""
    with tempfile.TemporaryDirectory() as name:
        spec = write_spec(Path(name), SPEC)
        command = [sys.executable, "-m", "memtrial", "run", str(spec), "-S", f"repeats={repeats}"]
        command += ["--out", str(Path(name) / "out"), "--display", "none"]
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        # its own usage: that of all children would be the largest of them
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"the run of {repeats} repeats ended with {process.returncode}")
        # macOS counts bytes, others kilobytes
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return used.ru_maxrss / unit, time.perf_counter() - begun


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
