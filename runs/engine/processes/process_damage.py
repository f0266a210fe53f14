"""Damage by processes side by side, a task's blocks at a time; what the plan keeps of them comes back."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from memtrial.faults import RunFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.models.client.transport import HaltFault
from memtrial.runs.engine.processes.block_work import BlockBasis, DamagedBlocks, DamageWork
from memtrial.runs.engine.processes.process_pool import IN_LINE, BlockProcess
from memtrial.runs.trials.planned.planned_blocks import PlanDraft

Reach = Callable[[int], Any]
TURNS = 3
"""Of the event loop, between an answer and its connection's next request."""


@asynccontextmanager
async def damage_beside(draft: PlanDraft, processes: Sequence[BlockProcess]) -> AsyncIterator[Reach]:
    """Have the processes lay out all blocks of a draft, where there are any and each task stands alone.

    Yields what waits until the draft can lay out the block of a number. Raises RunFault where a process ends.
    """
    for process in processes:
        await process.tell(BlockBasis.of(draft.source))
    if not processes or not _stand_alone(draft):
        yield _give_turns
        return
    course = DamageCourse(draft, iter(range(len(draft.source.places.tasks))))
    try:
        async with asyncio.TaskGroup() as group:
            for process in (*processes,) * IN_LINE:
                group.create_task(course.follow(process))
            yield course.reach
    except* (RunFault, HaltFault, LedgerFault) as faults:
        raise faults.exceptions[0] from None


async def _give_turns(_: int) -> None:
    """Let answers that arrive meanwhile be read, and what follows them be asked."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


def _stand_alone(draft: PlanDraft) -> bool:
    """The damage of no task is that of others, too; nor read from a memory's store, each backbone's own."""
    layout = draft.source.layout
    whole_banks = any(arm.reach == "bank" for arm in layout.design.arms)
    stored = layout.damager.stored
    return not whole_banks and not (stored is not None and stored.readings)


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
            numbers = [
                number for number in range(len(source.places)) if source.places.index_of(number) == index
            ]
            damaged = await process.ask(DamageWork(tuple(numbers)), DamagedBlocks)
            self.draft.outlines |= damaged.outlines
            for number, packed in damaged.damages.items():
                source.keep(number, packed)
            self._event(index).set()

    async def reach(self, number: int) -> None:
        """Wait until the block of this number was laid out."""
        await self._event(self.draft.source.places.index_of(number)).wait()

    def _event(self, index: int) -> asyncio.Event:
        return self._over.setdefault(index, asyncio.Event())
