"""Blocks that many workers play: each takes the first that is free, and waits for those that others have."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from memtrial.ledger.shared_work import OfferedBlock, SharedWork, WorkTotals
from memtrial.runs.trials.trials import Block, Trial

LOOK_S = 0.2
"""Between two looks whether another worker's block is done, or free."""
Left = tuple[Block, tuple[Trial, ...]]


def name_place(block: Block) -> str:
    """A block's place as workers name it."""
    return json.dumps([block.backbone, block.task.id, block.repeat], ensure_ascii=False)


def list_offers(blocks: Iterable[Block], finished: frozenset[str]) -> list[OfferedBlock]:
    """All blocks of a run, in the order of playing; `finished` are trials that are not played again."""
    return [
        OfferedBlock(name_place(block), finished.issuperset(trial.key for trial in block.trials))
        for block in blocks
    ]


@dataclass
class LeasedBlocks:
    """What this worker could play, by place; those up to `last` are everybody's to play now."""

    work: SharedWork
    left: Mapping[str, Left]
    last: str
    _besides: list[str] = field(default_factory=list)
    _looked: float = 0.0
    _asked: float = 0.0
    _is_left: bool = True

    @classmethod
    def of(cls, work: SharedWork, left: Sequence[Left]) -> "LeasedBlocks | None":
        """None where nothing is left."""
        by_place = {name_place(block): (block, trials) for block, trials in left}
        return cls(work, by_place, list(by_place)[-1]) if by_place else None

    def take(self, may: Callable[[WorkTotals], bool]) -> Left | None:
        """The next block that nobody has, where one `may` begin; looked for no more often than `LOOK_S`."""
        if time.monotonic() < self._looked + LOOK_S:
            return None
        while (place := self.work.take(self.last, self._besides, may)) is not None:
            if place in self.left:
                return self.left[place]
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
