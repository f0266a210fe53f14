"""`gates check` of a long hand-written file through the command line, its start included."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.figure import Figure

LINES, TIMES = 2_000, 5
ORDERS = (
    "Run `make check{n}` before you push part {n}, because the hook of part {n} runs it too.",
    "Never edit file {n} by hand, unless the generator of part {n} is broken.",
    "When test {n} fails, read its log in `logs/{n}.txt` and rerun it alone.",
)


def figures() -> Iterator[Figure]:
    """One process a time."""
    spent = sorted(_spent() for _ in range(TIMES))
    yield Figure(
        f"gates check of {LINES:,} lines against a second of processor time",
        f"{median(spent):.2f} s, start included",
        median(spent),
        1.0,
        spread=(spent[0], spent[-1]),
    )


def _spent() -> float:
    """Seconds of processor time of one check."""
    with tempfile.TemporaryDirectory() as name:
        lines = [f"## Part {n}\n" if n % 40 == 0 else f"- {ORDERS[n % 3].format(n=n)}" for n in range(LINES)]
        path = Path(name) / "CLAUDE.md"
        path.write_text("\n".join(lines) + "\n")
        process = subprocess.Popen(
            [sys.executable, "-m", "memtrial", "gates", "check", str(path)], stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return used.ru_utime + used.ru_stime
