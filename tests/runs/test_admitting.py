"""Streams side by side: one budget, one pool of worlds, and nobody waits for ever."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from memtrial.faults import StoreFault
from memtrial.ledger.rows import TrialRow
from memtrial.runs.engine.blocks import commit
from memtrial.runs.engine.run_limits import Limits
from memtrial.runs.engine.schedule import Ending, Schedule
from memtrial.runs.setup.world_pool import Worlds
from memtrial.runs.trials.trials import Block
from memtrial.worlds.world import Task

TASK = Task("t", "do it", "f", "", "test")
ROW = TrialRow("k", "b", "none", "without", "t", "f", 0, "success", 1.0, "", "", False, "")


def block(cost_usd: float, schedule: Schedule, paid: list[float]) -> Callable[[], Awaitable[bool]]:
    """One block of one trial that costs so much; whether it was played."""

    async def played() -> bool:
        opened = await schedule.admit(Block("b", TASK, 0, ()))
        if opened is None:
            return False
        await asyncio.sleep(0)
        paid.append(cost_usd)
        opened.rows.append(replace(ROW, usd=cost_usd))
        await schedule.close_block(opened)
        return True

    return played


def test_streams_side_by_side_share_one_budget_and_none_waits_for_ever() -> None:
    async def all_of_them(most: float | None) -> tuple[list[float], Schedule]:
        paid: list[float] = []
        schedule = Schedule(limits=Limits(max_usd=most, spent=lambda: sum(paid)))

        async def stream() -> None:
            while len(paid) < 30 and await block(1.0, schedule, paid)():
                pass

        async with asyncio.timeout(10):
            await asyncio.gather(*(stream() for _ in range(4)))
        return paid, schedule

    paid, schedule = asyncio.run(all_of_them(7.5))
    assert (len(paid), schedule.ending.how) == (7, "budget")
    paid, schedule = asyncio.run(all_of_them(None))
    assert len(paid) >= 30
    assert schedule.ending.how == "done"


def test_who_waits_to_begin_is_told_when_the_run_stops() -> None:
    async def stopped() -> object:
        schedule = Schedule(limits=Limits(max_usd=1.0))
        assert await schedule.admit(Block("b", TASK, 0, ())) is not None  # never finished: its world broke
        waiting = asyncio.create_task(schedule.admit(Block("b", TASK, 1, ())))
        await asyncio.sleep(0)
        assert not waiting.done()
        await schedule.stop(Ending("halted", "broken"))
        async with asyncio.timeout(10):
            return await waiting

    assert asyncio.run(stopped()) is None


def test_who_waits_is_told_when_a_block_cannot_be_kept() -> None:
    def full() -> None:
        raise StoreFault("full")

    async def broken() -> object:
        schedule = Schedule(limits=Limits(max_usd=1.0))
        opened = await schedule.admit(Block("b", TASK, 0, ()))
        assert opened is not None
        waiting = asyncio.create_task(schedule.admit(Block("b", TASK, 1, ())))
        await asyncio.sleep(0)
        door: Any = SimpleNamespace(cache=SimpleNamespace(flush=full))
        nothing: Any = None
        with pytest.raises(StoreFault):
            await commit(opened, schedule, door, nothing, nothing)
        async with asyncio.timeout(10):
            return await waiting

    assert asyncio.run(broken()) is None


def test_worlds_are_lent_to_one_at_a_time_and_all_are_closed() -> None:
    opened: list[Any] = []

    @dataclass
    class Lent:
        used: int = 0
        closed: bool = False

        def close(self) -> None:
            self.closed = True

    def make() -> Any:
        opened.append(Lent())
        return opened[-1]

    async def borrow(worlds: Worlds) -> None:
        async with worlds.borrow() as world:
            world.used += 1
            assert world.used == 1
            await asyncio.sleep(0)
            world.used -= 1

    async def many() -> None:
        worlds = Worlds(make, 3)
        await asyncio.gather(*(borrow(worlds) for _ in range(20)))
        worlds.close()

    asyncio.run(many())
    assert len(opened) == 3
    assert all(world.closed for world in opened)
