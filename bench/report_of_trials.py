"""Processor time and memory of `memtrial report`, of 20,000 and of 100,000 trials.

The peer is a process that reads the same rows once and opens them, and does nothing with them.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from bench.figure import Figure
from bench.process_use import children_of, resident_mb
from bench.view_pages import ARMS, BACKBONES, CELLS, DAMAGES, REPEATS, TASKS, TRIALS, fill_run
from memtrial.ledger.run_plan import RunPlan
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger

FEW = TASKS // 5
AIM_MB = 500
LOOK_S = 0.02
"""Seconds between two looks at the memory."""
READ = """
import sys
from pathlib import Path
from memtrial.ledger.open_ledger import open_ledger_to_read
ledger = open_ledger_to_read(Path(sys.argv[1]) / "ledger.sqlite")
kept = [(*ledger.trials(),), (*ledger.checks(),)]
read = sum(1 for _ in ledger.steps())
"""


@dataclass(frozen=True, slots=True)
class ProcessSpent:
    """Seconds of the processor that a process took, and the most memory it held, in MB; both with those that
    it began."""

    cpu_s: float
    mb: float


def figures() -> Iterator[Figure]:
    """Each in a process of its own; the report of the few trials tells whether it is linear."""
    with tempfile.TemporaryDirectory() as place:
        few, many = (planned_run(Path(place) / str(tasks), tasks) for tasks in (FEW, TASKS))
        report, peer, less = (
            run_process(arguments)
            for arguments in (
                ("-m", "memtrial", "report", many),
                ("-c", READ, many),
                ("-m", "memtrial", "report", few),
            )
        )
        detail = f"{report.cpu_s:.1f} s of processor time, its rows read alone {peer.cpu_s:.1f}"
        yield Figure(f"memtrial report of {TRIALS:,} trials", detail, report.cpu_s / peer.cpu_s)
        each = report.cpu_s / less.cpu_s * FEW / TASKS
        detail = (
            f"{1e6 * report.cpu_s / TRIALS:.0f} µs; of {TRIALS * FEW // TASKS:,} trials {less.cpu_s:.1f} s"
        )
        yield Figure("memtrial report: time of a trial beside that of fewer trials", detail, each, 1.1)
        yield Figure("memtrial report: memory", f"{report.mb:.0f} MB, aim {AIM_MB}", report.mb / AIM_MB, 1.0)


def planned_run(folder: Path, tasks: int) -> str:
    """The folder of a run of that many tasks, with the plan that its report asks for."""
    arms = ("none", *ARMS)
    plan = RunPlan(
        name=folder.name, question="", seed=0, simulated=True, control="control", world="", outcome="success",
        backbones=BACKBONES, arms=arms, injections=dict.fromkeys(ARMS, "prepend"),
        conditions=("without", "intact", *DAMAGES), primary=("filler",), pairs=(("artifact", "control"),),
        tasks=tasks, repeats=REPEATS, trials=len(BACKBONES) * tasks * REPEATS * len(CELLS), planned={},
        margin=0.1, alpha=0.05, flips=10_000, cluster="task", clusters={}, digests={}, notes=(),
    )  # fmt: skip
    with closing(SqliteLedger(fill_run(folder, tasks) / "ledger.sqlite")) as ledger:
        ledger.state("plan", plan.model_dump(mode="json"))
    return str(folder)


def run_process(arguments: Sequence[str]) -> ProcessSpent:
    """What a Python process and those that it began took, its start included; RuntimeError where it fails."""
    process, most_mb = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL), 0.0
    ended = 0
    while not ended:
        sleep(LOOK_S)
        most_mb = max(most_mb, sum(map(resident_mb, (process.pid, *children_of(process.pid)))))
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{arguments[:3]} ended with {process.returncode}")
    return ProcessSpent(used.ru_utime + used.ru_stime, most_mb * 2**20 / 1e6)


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
