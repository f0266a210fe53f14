"""Run many jobs concurrently, and retry once at the end those that a provider failed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from memtrial.models.client.types import ProviderFault
from memtrial.runs.setup.parallel_work import end_all

T = TypeVar("T")


async def two_rounds(
    items: Sequence[T],
    do: Callable[[T], Awaitable[None]],
    at_once: int,
    most_lost: int,
    forgive: Callable[[], None],
) -> dict[T, ProviderFault]:
    """Do something for each item, a few at a time; the items that were lost, with the fault of each.

    Where more than `most_lost` are lost (ProviderFault), or something else breaks, nothing further is begun;
    jobs in progress are waited for, so that their answers are saved. `forgive` is called between the rounds,
    so that requests that were given up are sent again.
    """
    lost = await _play_round(items, do, at_once, most_lost)
    if lost:
        forgive()
        lost = await _play_round(tuple(lost), do, at_once, most_lost)
    return lost


async def _play_round(
    items: Sequence[T], do: Callable[[T], Awaitable[None]], at_once: int, most_lost: int
) -> dict[T, ProviderFault]:
    room, over = asyncio.Semaphore(at_once), asyncio.Event()
    lost: dict[T, ProviderFault] = {}

    async def one(item: T) -> None:
        async with room:
            if over.is_set():
                return
            over_now = True
            try:
                await do(item)
                over_now = False
            except ProviderFault as fault:
                lost[item] = fault
                over_now = len(lost) > most_lost
                if over_now:
                    raise
            finally:
                if over_now:
                    over.set()

    await end_all(one(item) for item in items)
    return {item: lost[item] for item in items if item in lost}
