"""Damage by processes side by side, a task's blocks at a time; what the plan keeps of them comes back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from memtrial.faults import RunFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.models.client.limits import POLL_S
from memtrial.models.client.transport import HaltFault
from memtrial.runs.engine.processes.block_work import BlockBasis, DamagedBlocks, DamageWork
from memtrial.runs.engine.processes.process_pool import IN_LINE, BlockProcess
from memtrial.runs.setup.design import Design
from memtrial.runs.trials.planned.planned_blocks import PlanDraft

Reach = Callable[[int], Awaitable[bool]]
TURNS = 3
"""Of the event loop, between an answer and its connection's next request."""


@asynccontextmanager
async def damage_beside(draft: PlanDraft, processes: Sequence[BlockProcess]) -> AsyncIterator[Reach]:
    """Have the processes lay out all blocks of a draft, where there are any and each task stands alone.

    Yields what waits, for a while at most, for the block of a number: whether the draft can lay it out now.
    Raises RunFault where a process ends.
    """
    if not processes or not tasks_stand_alone(draft):
        yield _give_turns
        return
    for process in processes:
        await process.tell(BlockBasis.of(draft.source))
    course = DamageCourse(draft, iter(range(len(draft.source.places.tasks))))
    try:
        async with asyncio.TaskGroup() as group:
            for process in (*processes,) * IN_LINE:
                group.create_task(course.follow(process))
            yield course.reach
    except* (RunFault, HaltFault, LedgerFault) as faults:
        raise faults.exceptions[0] from None


async def _give_turns(_: int) -> bool:
    """Let answers that arrive meanwhile be read, and what follows them be asked."""
    for _ in range(TURNS):
        await asyncio.sleep(0)
    return True


def tasks_stand_alone(draft: PlanDraft) -> bool:
    """The damage of no task is that of others, too; nor read from a memory's store, each backbone's own."""
    layout = draft.source.layout
    stored = layout.damager.stored
    return not shows_whole_banks(layout.design) and not (stored is not None and stored.readings)


def shows_whole_banks(design: Design) -> bool:
    """Any record of a bank may come up in an episode, so that its damage is that of all tasks."""
    return any(arm.reach == "bank" for arm in design.arms)


@dataclass
class DamageCourse:
    """The tasks that are left, in order, and those whose blocks were laid out."""

    draft: PlanDraft
    left: Iterator[int]
    _over: dict[int, asyncio.Event] = field(default_factory=dict)

    async def follow(self, process: BlockProcess) -> None:
        """Give a process the blocks of one task after the other: those of all backbones, which often show the
        same."""
        source = self.draft.source
        for index in self.left:
            work = DamageWork(source.places.numbers_of(index))
            damaged = await process.ask(work, DamagedBlocks)
            self.draft.outlines |= damaged.outlines
            for number, packed in damaged.damages.items():
                source.keep(number, packed)
            self._event(index).set()

    async def reach(self, number: int) -> bool:
        """Wait for the block of this number, `POLL_S` at most; whether it was laid out."""
        event = self._event(self.draft.source.places.index_of(number))
        if event.is_set():
            return await _give_turns(number)
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), POLL_S)
        return event.is_set()

    def _event(self, index: int) -> asyncio.Event:
        return self._over.setdefault(index, asyncio.Event())
