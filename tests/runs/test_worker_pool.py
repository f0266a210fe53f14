"""Workers that wait for another's answer give their place away, and no more than the most are ever begun."""

import asyncio
from dataclasses import dataclass, field

import pytest

from memtrial.runs.engine.worker_pool import WorkerPool

LATE = 300
"""Pieces after which nobody waits any more."""


@dataclass
class Counted:
    """Pieces of work, of which some wait; how many were busy, and how many begun, at most."""

    pieces: int
    waits: int
    pool: WorkerPool = field(init=False)
    busy: int = 0
    inside: int = 0
    most_busy: int = 0
    most_inside: int = 0
    late_inside: int = 0
    done: int = 0

    async def work(self) -> bool:
        if not self.pieces:
            return False
        self.pieces -= 1
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        if self.done >= LATE:
            self.late_inside = max(self.late_inside, self.inside)
        if self.waits:
            self.waits -= 1
            self.pool.note_wait(1)
            for _ in range(20):
                await asyncio.sleep(0)
            self.pool.note_wait(-1)
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        await asyncio.sleep(0)
        self.busy -= 1
        self.inside -= 1
        self.done += 1
        return True


@pytest.mark.parametrize(
    ("waits", "most", "inside"),
    [
        (0, 100, 3),  # nobody waits: so many as are busy
        (5, 100, 8),  # five wait, and three are busy beside them
        (5, 6, 6),  # no more than the most
        (40, 3, 3),  # nobody is begun in the place of those that wait
    ],
)
def test_who_waits_gives_the_place_away(waits: int, most: int, inside: int) -> None:
    counted = Counted(pieces=60, waits=waits)
    counted.pool = WorkerPool(counted.work, busy=3, most=most)
    asyncio.run(counted.pool.run())
    assert (counted.done, counted.most_inside) == (60, inside)
    assert counted.most_busy <= max(3, waits)


def test_workers_end_once_those_that_waited_go_on() -> None:
    counted = Counted(pieces=400, waits=10)
    counted.pool = WorkerPool(counted.work, busy=2, most=100)
    asyncio.run(counted.pool.run())
    assert counted.most_inside == 12
    assert counted.late_inside == 2


def test_what_breaks_in_a_worker_rises() -> None:
    async def breaks() -> bool:
        raise ValueError("broken")

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(WorkerPool(breaks, busy=2, most=2).run())
    assert raised.group_contains(ValueError)
