"""Where many play, what all of them met decides whether another block is begun."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from memtrial.ledger.shared_work import SharedWork, WorkTotals
from memtrial.runs.engine.leased_blocks import LeasedBlocks
from memtrial.runs.engine.run_limits import Limits
from memtrial.runs.engine.schedule import FEWEST, Schedule
from memtrial.runs.trials.trials import Block

TRIALS: Any = (SimpleNamespace(key="1"), SimpleNamespace(key="2"))
BLOCK = cast(Block, SimpleNamespace(trials=TRIALS))


def totals(played: int, errors: int) -> WorkTotals:
    return WorkTotals(0, 0.1, 2, 0.0, played, errors, "no key" if errors else "")


def begin_block(before: WorkTotals, after: WorkTotals | None = None) -> tuple[bool, Schedule]:
    """Whether a block is begun by what all workers met; then one is over, and they met something else."""
    shared = cast(
        SharedWork,
        SimpleNamespace(
            take=lambda _, __, may: "place" if may(before) else None, is_left=lambda _, __: False
        ),
    )
    schedule = Schedule(
        limits=Limits(max_error_share=0.5),
        leased=LeasedBlocks(shared, {"place": 0}, lambda _: (BLOCK, TRIALS), "place"),
    )

    async def play() -> bool:
        taken = await schedule.take()
        if taken is None or after is None:
            return taken is not None
        await schedule.close_block(taken[0], after)
        return await schedule.take() is not None

    return asyncio.run(play()), schedule


@pytest.mark.parametrize(
    ("played", "errors", "goes_on"),
    [(FEWEST - 1, FEWEST - 1, True), (FEWEST, FEWEST // 2, True), (FEWEST, FEWEST // 2 + 1, False)],
)
def test_errors_of_all_workers_stop_each(played: int, errors: int, goes_on: bool) -> None:
    begun, schedule = begin_block(totals(played, errors))
    assert begun == goes_on
    assert schedule.ending.how == ("done" if goes_on else "errors")
    # the rest of a block that is open is not played after that, either
    begun, schedule = begin_block(totals(0, 0), totals(played, errors))
    assert begun == goes_on
    assert "all workers" in schedule.ending.why or goes_on
