"""Processes that damage and play blocks, begun together and ended together."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from memtrial.faults import RESUME, RunFault
from memtrial.runs.engine.processes.block_work import Answer, BrokenWork, DamagedBlocks, PlayedBlock, Work
from memtrial.runs.engine.schedule import Session
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.processes.line_process import ChildFault, ChildProcess, begin_child
from memtrial.runs.setup.processes.process_count import count_processes
from memtrial.runs.spec.spec import Spec

PROGRAM = "memtrial.runs.engine.processes.block_process"
IN_LINE = 2
"""Pieces of work that a process is given at a time, so that it waits for nobody between two of them."""
Answered = TypeVar("Answered", DamagedBlocks, PlayedBlock)


@dataclass(frozen=True, slots=True)
class BlockProcess:
    """One of them; what it is asked while it works it does next."""

    child: ChildProcess
    threads: ThreadPoolExecutor
    _telling: asyncio.Lock = field(default_factory=asyncio.Lock)
    _hearing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def tell(self, work: Work) -> None:
        """Give it something that it does not answer. Raises RunFault where it has ended."""
        async with self._telling:
            await self._in_thread(partial(self.child.tell, work))

    async def ask(self, work: Work, kind: type[Answered]) -> Answered:
        """What came of it. Raises RunFault where the process ended, or has no world."""
        async with self._telling:
            await self._in_thread(partial(self.child.tell, work))
            # who asked first is the first to hear
            hearing = asyncio.create_task(self._hear())
        answer = await hearing
        if isinstance(answer, BrokenWork):
            raise RunFault(answer.why)
        assert isinstance(answer, kind)
        return answer

    async def _hear(self) -> Answer:
        async with self._hearing:
            answer: Answer = await self._in_thread(self.child.hear)
            return answer

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        try:
            return await asyncio.get_running_loop().run_in_executor(self.threads, work)
        except ChildFault as fault:
            raise RunFault(
                f"a process that plays trials {fault}, which this run had begun; its other processes are"
                f" ended, too; {RESUME}"
            ) from fault


def begin_processes(run: RunContext, session: Session) -> AbstractContextManager[tuple[BlockProcess, ...]]:
    """Processes for the blocks of a run, of which no more is known yet than how many trials they have at
    most; none where they are damaged and played in this one."""
    return block_processes(run.spec, count_beside(run, session))


def count_beside(run: RunContext, session: Session) -> int:
    """How many processes; 0 where this one damages and plays alone."""
    n = 1 if session.shared is not None else count_processes(run.experiment, count_trials(run))
    return n if n > 1 else 0


def count_trials(run: RunContext) -> int:
    """How many trials the run has at most, all of which are laid out in each session: where damage is not
    applicable there are fewer."""
    blocks = len(run.spec.backbone) * len(run.tasks) * run.spec.repeats
    return blocks * (1 + sum(1 + len(run.design.damages[arm.name]) for arm in run.design.arms))


@contextmanager
def block_processes(spec: Spec, n: int) -> Iterator[tuple[BlockProcess, ...]]:
    """So many processes, for as long as this lasts; with this one they end by themselves.

    None of them is waited for: they load their libraries while something else is done.
    """
    begun: list[ChildProcess] = []
    if not n:
        yield ()
        return
    # one gives a process its work, and one waits for its answers; both end once it has ended
    with ThreadPoolExecutor(2 * n) as threads:
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
