"""Blocks that many workers play: each takes the first that is free, and waits for those that others have."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from memtrial.faults import RunFault
from memtrial.ledger.shared_work import OfferedBlock, SharedWork, WorkTotals
from memtrial.runs.trials.planned.left_blocks import LeftBlock
from memtrial.runs.trials.planned.planned_blocks import BlockSource, PlannedBlocks, order_blocks
from memtrial.runs.trials.trials import Block
from memtrial.worlds.world import Task

LOOK_S = 0.2
"""Between two looks whether another worker's block is done, or free."""


class Placed(Protocol):
    """What stands at a place of the run's blocks."""

    @property
    def backbone(self) -> str: ...
    @property
    def task(self) -> Task: ...
    @property
    def repeat(self) -> int: ...


def name_place(block: Placed) -> str:
    """A block's place as workers name it."""
    return json.dumps([block.backbone, block.task.id, block.repeat], ensure_ascii=False)


def list_offers(blocks: PlannedBlocks, finished: frozenset[str]) -> list[OfferedBlock]:
    """All blocks of a run, in the order of playing; `finished` are trials that are not played again."""
    return [
        OfferedBlock(name_place(place), finished.issuperset(keys), len(keys))
        for place, keys in zip(blocks.places, blocks.keys, strict=True)
    ]


def take_laid(
    source: BlockSource, laid: Sequence[OfferedBlock], clusters: Mapping[str, str]
) -> PlannedBlocks:
    """The blocks of a run as another worker laid them out. RunFault: they are others here."""
    sizes = {each.place: each.trials for each in laid}
    numbers = range(len(source.places))
    by_number = [sizes.get(name_place(source.places.place_of(number)), 0) for number in numbers]
    blocks = order_blocks(source, by_number, None, clusters)
    if [name_place(place) for place in blocks.places] != [each.place for each in laid]:
        raise RunFault(
            "the blocks of this run were laid out otherwise than they would be here: another version began"
            " it; start this worker with that one"
        )
    return blocks


@dataclass
class LeasedBlocks:
    """What this worker could play, by place; those up to `last` are everybody's to play now.

    Args:
        positions: of the blocks that it could play, by place.
        lay: what is left of the block of a position, in groups of trials; none where nothing is.
    """

    work: SharedWork
    positions: Mapping[str, int]
    lay: Callable[[int], LeftBlock | None]
    last: str
    _besides: list[str] = field(default_factory=list)
    _looked: float = 0.0
    _asked: float = 0.0
    _is_left: bool = True

    @classmethod
    def of(
        cls, work: SharedWork, blocks: Sequence[Block], lay: Callable[[int], LeftBlock | None]
    ) -> "LeasedBlocks | None":
        """Those of these blocks; None where there is none."""
        places: Iterable[Placed] = blocks
        if isinstance(blocks, PlannedBlocks):
            places = blocks.places
        positions = {name_place(place): position for position, place in enumerate(places)}
        return cls(work, positions, lay, list(positions)[-1]) if positions else None

    def take(self, may: Callable[[WorkTotals], bool]) -> LeftBlock | None:
        """The next block that nobody has, where one `may` begin; looked for no more often than `LOOK_S`."""
        if time.monotonic() < self._looked + LOOK_S:
            return None
        while (place := self.work.take(self.last, self._besides, may)) is not None:
            left = self.lay(self.positions[place]) if place in self.positions else None
            if left is not None:
                return left
            self._besides.append(place)  # another session plays it again; nothing of it is left for this one
        self._looked = time.monotonic()
        return None

    async def wait(self, changed: asyncio.Condition) -> bool:
        """Wait until something may have changed; whether a block is left that others have, or may free."""
        if time.monotonic() >= self._asked + LOOK_S:  # of many who wait one asks
            self._is_left = self.work.is_left(self.last, self._besides)
            self._asked = time.monotonic()
        if not self._is_left:
            return False
        with suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), LOOK_S)
        return True
