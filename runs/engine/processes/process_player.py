"""Blocks played by processes side by side; rows and calls are written here, in the order of the plan.

Everything is written as by one process that plays alone: a block whose calls were answered before (then their
answers count as kept) is played again here.
"""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from memtrial.faults import RunFault, StoreFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault
from memtrial.models.client.limits import POLL_S
from memtrial.models.client.transport import HaltFault
from memtrial.runs.engine.blocks import BlockPlayer, commit, dearest_block, play_alike
from memtrial.runs.engine.processes.block_work import Ended, Groups, PlayedBlock
from memtrial.runs.engine.processes.process_pool import BlockProcess
from memtrial.runs.engine.schedule import Ending, Opened, Schedule, ending_of
from memtrial.runs.trials.planned.left_blocks import LeftBlocks
from memtrial.runs.trials.trials import Block

AHEAD = 2
"""Blocks for each process that may have been begun and not be written yet."""


@dataclass(frozen=True, slots=True)
class ProcessPlayer:
    """Plays blocks as `alone` does, by processes."""

    alone: BlockPlayer
    processes: Sequence[BlockProcess]

    async def play(self, blocks: Sequence[Block], finished: frozenset[str]) -> Ending:
        """Play what is not finished: `finished` are keys of trials that are not played again."""
        left = LeftBlocks(blocks, finished)
        limits = self.alone.limits
        course = Course(
            self.alone,
            left,
            Schedule(limits=limits, dearest_usd=dearest_block(self.alone.ledger, limits)),
            asyncio.Semaphore(AHEAD * len(self.processes)),
        )
        try:
            async with asyncio.TaskGroup() as group:
                for process in self.processes:
                    group.create_task(course.follow(process))
        except* (RunFault, StoreFault, LedgerFault, DatabaseFault) as faults:
            raise faults.exceptions[0] from None
        return course.schedule.ending


@dataclass
class Course:
    """The blocks that are left, in order; those that were begun, by their number; and the next to write."""

    alone: BlockPlayer
    left: LeftBlocks
    schedule: Schedule
    room: asyncio.Semaphore
    _begun: int = 0
    _due: int = 0
    _played: dict[int, tuple[Opened, Groups, PlayedBlock]] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def follow(self, process: BlockProcess) -> None:
        """Give a process one block after the other, until there is none left or none may be begun."""
        while True:
            await self.room.acquire()
            if (begun := await self._begin_next()) is None:
                break
            number, opened, groups = begun
            if (played := await self._hear(process, groups)) is None:
                break
            self._played[number] = opened, groups, played
            await self._write_due()
            if self.schedule.ending.how != "done":
                break
        self.room.release()  # others that wait for it have nothing to begin either

    async def _begin_next(self) -> tuple[int, Opened, Groups] | None:
        async with self._turn:
            if not self.left:
                return None
            block, groups = self.left.first()
            if (opened := await self.schedule.admit(block)) is None:
                return None
            self.left.popleft()
            self._begun += 1
            return self._begun - 1, opened, groups

    async def _hear(self, process: BlockProcess, groups: Groups) -> PlayedBlock | None:
        """What came of a block; None where the session was halted meanwhile."""
        playing = asyncio.ensure_future(process.play(groups))
        while not playing.done():
            await asyncio.wait({playing}, timeout=POLL_S)
            if halted := self.schedule.limits.halted():
                await self.schedule.stop(ending_of(halted))
                playing.cancel()
                return None
        return playing.result()

    async def _write_due(self) -> None:
        """Write what is due, in the order of the plan; after "errors" nothing more."""
        async with self._writing:
            while self._due in self._played and self.schedule.ending.how != "errors":
                opened, groups, played = self._played.pop(self._due)
                player, client = self.alone, self.alone.model_client
                if client.cache.knows_any(played.calls):
                    try:
                        ended = await self._play_here(groups)
                    except HaltFault as halt:
                        await self.schedule.stop(ending_of(halt))
                        return
                else:
                    client.cache.take_in(played.calls)
                    ended = played.ended
                for rows in ended:
                    opened.add(*rows)
                await commit(opened, self.schedule, client, player.ledger, player.tick)
                self._due += 1
                self.room.release()

    async def _play_here(self, groups: Groups) -> tuple[tuple[Ended, ...], ...]:
        player = self.alone
        with closing(player.open_own_world()) as world:
            return tuple(
                [
                    tuple(await play_alike(player.spec, world, group, player.model_client, player.given))
                    for group in groups
                ]
            )
