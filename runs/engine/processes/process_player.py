"""Blocks played by processes side by side; rows and calls are written here, in the order of the plan.

Everything is written as by one process that plays alone: a block whose calls were answered before (then their
answers count as kept) is played again here.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from memtrial.faults import RunFault, StoreFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault
from memtrial.models.client.limits import POLL_S
from memtrial.models.client.transport import HaltFault
from memtrial.runs.engine.blocks import BlockPlayer, commit, dearest_block, play_alike
from memtrial.runs.engine.processes.block_work import Ended, PlayedBlock, PlayWork
from memtrial.runs.engine.processes.process_pool import IN_LINE, BlockProcess
from memtrial.runs.engine.schedule import Ending, Opened, Schedule, ending_of
from memtrial.runs.trials.planned.left_blocks import group_alike
from memtrial.runs.trials.planned.planned_blocks import PlannedBlocks
from memtrial.worlds.world import Task

AHEAD = 2 * IN_LINE
"""Blocks for each process that may have been begun and not be written yet."""


@dataclass(frozen=True, slots=True)
class ProcessPlayer:
    """Plays blocks as `alone` does, by processes."""

    alone: BlockPlayer
    processes: Sequence[BlockProcess]

    async def play(self, blocks: PlannedBlocks, finished: frozenset[str]) -> Ending:
        """Play what is not finished: `finished` are keys of trials that are not played again."""
        limits = self.alone.limits
        course = Course(
            self.alone,
            blocks,
            finished,
            Schedule(limits=limits, dearest_usd=dearest_block(self.alone.ledger, limits)),
            asyncio.Semaphore(AHEAD * len(self.processes)),
        )
        try:
            async with asyncio.TaskGroup() as group:
                for process in (*self.processes,) * IN_LINE:
                    group.create_task(course.follow(process))
        except* (RunFault, StoreFault, LedgerFault, DatabaseFault) as faults:
            raise faults.exceptions[0] from None
        return course.schedule.ending


@dataclass(frozen=True, slots=True)
class BlockElsewhere:
    """A block that is laid out by the process that plays it, which gives its texts."""

    backbone: str
    task: Task
    repeat: int
    keys: tuple[str, ...]
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BegunBlock:
    """A block that a process plays: which in the order of writing, which of those that are played, and what
    will be written of it."""

    turn: int
    position: int
    opened: Opened
    block: BlockElsewhere


@dataclass
class Course:
    """The blocks that are left, in order; those that were played, by their turn; and the next to write."""

    alone: BlockPlayer
    blocks: PlannedBlocks
    finished: frozenset[str]
    schedule: Schedule
    room: asyncio.Semaphore
    _begun: int = 0
    _due: int = 0
    _played: dict[int, tuple[BegunBlock, PlayedBlock]] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _left: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self._left = iter(range(len(self.blocks)))

    async def follow(self, process: BlockProcess) -> None:
        """Give a process one block after the other, until there is none left or none may be begun."""
        while True:
            await self.room.acquire()
            if (begun := await self._begin_next()) is None:
                break
            if (played := await self._hear(process, begun)) is None:
                break
            self._played[begun.turn] = begun, played
            await self._write_due()
            if self.schedule.ending.how != "done":
                break
        self.room.release()  # others that wait for it have nothing to begin either

    async def _begin_next(self) -> BegunBlock | None:
        async with self._turn:
            for position in self._left:
                keys = self.blocks.keys_at(position)
                if self.finished.issuperset(keys):
                    continue
                place = self.blocks.place_at(position)
                block = BlockElsewhere(place.backbone, place.task, place.repeat, keys)
                if (opened := await self.schedule.admit(block)) is None:
                    return None
                self._begun += 1
                return BegunBlock(self._begun - 1, position, opened, block)
        return None

    async def _hear(self, process: BlockProcess, begun: BegunBlock) -> PlayedBlock | None:
        """What came of a block; None where the session was halted meanwhile."""
        work = PlayWork(
            int(self.blocks.numbers[begun.position]),
            self.blocks.damage_at(begun.position),
            self.blocks.order_at(begun.position),
            self.finished.intersection(begun.block.keys),
        )
        playing = asyncio.ensure_future(process.ask(work, PlayedBlock))
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
                begun, played = self._played.pop(self._due)
                player, client, opened = self.alone, self.alone.model_client, begun.opened
                opened.block = replace(begun.block, texts=played.texts)
                if client.cache.knows_any(played.calls):
                    try:
                        ended = await self._play_here(begun.position)
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

    async def _play_here(self, position: int) -> tuple[tuple[Ended, ...], ...]:
        player, groups = self.alone, group_alike(self.blocks[position], self.finished)
        with closing(player.open_own_world()) as world:
            return tuple(
                [
                    tuple(await play_alike(player.spec, world, group, player.model_client, player.given))
                    for group in groups
                ]
            )
