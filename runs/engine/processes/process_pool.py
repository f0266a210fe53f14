"""Processes of this program that play blocks, begun together and ended together."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import Pipe

from memtrial.faults import RESUME, RunFault
from memtrial.reader_process import reader_variables
from memtrial.runs.engine.processes.block_work import (
    Answered,
    BrokenWork,
    Groups,
    Line,
    PlayedBlock,
    WorkOrder,
)
from memtrial.runs.spec.spec import Spec

PROGRAM = "memtrial.runs.engine.processes.block_process"
STANDARD_ERROR = 2
END_S = 10.0
"""Seconds that a process has to give its world back."""


@dataclass(frozen=True, slots=True)
class BlockProcess:
    """One of them; it plays one block at a time."""

    process: subprocess.Popen[bytes]
    line: Line

    async def play(self, groups: Groups) -> PlayedBlock:
        """What came of a block. Raises RunFault where the process ended, or has no world."""
        return await asyncio.to_thread(self._converse, groups)

    def _converse(self, groups: Groups) -> PlayedBlock:
        answered: Answered
        try:
            self.line.send(groups)
            answered = self.line.recv()
        except (EOFError, OSError) as fault:
            code = self.process.wait()
            raise RunFault(
                f"a process that plays trials ended (exit code {code}), which this run had begun; its other"
                f" processes are ended, too; {RESUME}"
            ) from fault
        if isinstance(answered, BrokenWork):
            raise RunFault(f"{answered.why}; {RESUME}")
        return answered

    def end(self) -> None:
        """Wait for its end, which was asked for; it is taken where it does not come."""
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.line.close()


@contextmanager
def block_processes(spec: Spec, n: int) -> Iterator[tuple[BlockProcess, ...]]:
    """So many processes, for as long as this lasts; with this one they end by themselves."""
    order, begun = WorkOrder(spec.model_dump_json()), list[BlockProcess]()
    try:
        for _ in range(n):
            begun.append(_begin())
        for process in begun:
            with suppress(OSError):  # it has ended already: whoever gives it a block is told
                process.line.send(order)
        yield tuple(begun)
    finally:
        for process in begun:
            process.process.terminate()  # all of them first: they take their time together
        for process in begun:
            process.end()


def _begin() -> BlockProcess:
    """A process of the same Python and the same libraries, which inherits nothing but its end of the line."""
    ours, theirs = Pipe()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", PROGRAM, str(theirs.fileno())],
            stdin=subprocess.DEVNULL, stdout=STANDARD_ERROR, pass_fds=(theirs.fileno(),),
            env=reader_variables(),
        )  # fmt: skip
    return BlockProcess(process, ours)
