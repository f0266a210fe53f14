"""Processes that play blocks, begun together and ended together."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass

from memtrial.faults import RESUME, RunFault
from memtrial.runs.engine.processes.block_work import BrokenWork, Groups, PlayedBlock
from memtrial.runs.engine.schedule import Session
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.processes.line_process import ChildFault, ChildProcess, begin_child
from memtrial.runs.setup.processes.process_count import count_processes
from memtrial.runs.spec.spec import Spec

PROGRAM = "memtrial.runs.engine.processes.block_process"


@dataclass(frozen=True, slots=True)
class BlockProcess:
    """One of them; it plays one block at a time."""

    child: ChildProcess
    threads: ThreadPoolExecutor

    async def play(self, groups: Groups) -> PlayedBlock:
        """What came of a block. Raises RunFault where the process ended, or has no world."""
        try:
            asking = asyncio.get_running_loop().run_in_executor(self.threads, self.child.ask, groups)
            answered: PlayedBlock | BrokenWork = await asking
        except ChildFault as fault:
            raise RunFault(
                f"a process that plays trials {fault}, which this run had begun; its other processes are"
                f" ended, too; {RESUME}"
            ) from fault
        if isinstance(answered, BrokenWork):
            raise RunFault(f"{answered.why}; {RESUME}")
        return answered


def begin_processes(
    run: RunContext, session: Session, finished: frozenset[str]
) -> AbstractContextManager[tuple[BlockProcess, ...]]:
    """Processes for the trials of a run that are left, of which no more is known yet than how many there are
    at most; none where they are played in this one, or not in this session."""
    if session.shared is not None or session.freeze is not None:
        return block_processes(run.spec, 0)
    n = count_processes(run.experiment, count_left(run, session, finished))
    return block_processes(run.spec, n if n > 1 else 0)


def count_left(run: RunContext, session: Session, finished: frozenset[str]) -> int:
    """How many trials this session plays at most: where damage is not applicable there are fewer."""
    blocks = len(run.spec.backbone) * len(run.tasks) * run.spec.repeats
    most_of_block = 1 + sum(1 + len(run.design.damages[arm.name]) for arm in run.design.arms)
    return min(blocks * most_of_block - len(finished), (session.most_blocks or blocks) * most_of_block)


@contextmanager
def block_processes(spec: Spec, n: int) -> Iterator[tuple[BlockProcess, ...]]:
    """So many processes, for as long as this lasts; with this one they end by themselves.

    None of them is waited for: they load their libraries while something else is done.
    """
    begun: list[ChildProcess] = []
    if not n:
        yield ()
        return
    with ThreadPoolExecutor(n) as threads:  # each waits for a process, and ends once that has ended
        try:
            for _ in range(n):
                begun.append(begin_child(PROGRAM))
            for child in begun:
                with suppress(OSError):  # it has ended already: whoever gives it a block is told
                    child.line.send(spec.model_dump_json())
            yield tuple(BlockProcess(child, threads) for child in begun)
        finally:
            for child in begun:
                child.process.terminate()  # all of them first: they take their time together
            for child in begun:
                child.end()
