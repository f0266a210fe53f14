"""Who has an answer at once does not hold up who waits for one."""

import asyncio
from dataclasses import dataclass, field

from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.turn_queue import AT_A_TIME, TurnQueue
from memtrial.models.client.types import Reply, Request
from tests.support.scripted import request_of


def test_a_few_go_on_in_each_turn_in_the_order_in_which_they_came() -> None:
    assert asyncio.run(turns_of(TurnQueue(), 3 * AT_A_TIME)) == [
        list(range(first, first + AT_A_TIME)) for first in range(0, 3 * AT_A_TIME, AT_A_TIME)
    ]


def test_who_gave_up_takes_no_turn() -> None:
    assert asyncio.run(turns_of(TurnQueue(), 1 + AT_A_TIME, gone=1)) == [list(range(1, 1 + AT_A_TIME))]


async def turns_of(queue: TurnQueue, n: int, gone: int = 0) -> list[list[int]]:
    """Who went on in each turn of the loop."""
    went: list[int] = []

    async def come(number: int) -> None:
        await queue.wait()
        went.append(number)

    tasks = [asyncio.create_task(come(number)) for number in range(n)]
    await asyncio.sleep(0)
    for task in tasks[:gone]:
        task.cancel()
    seen, turns = 0, []
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        if went[seen:]:
            turns.append(went[seen:])
            seen = len(went)
    return turns


@dataclass
class Held:
    """Answers the requests of repeat 0 at once, and another one when it is let go."""

    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    free: bool = False

    async def answer(self, request: Request, repeat: int) -> Reply:
        if repeat:
            await self.let_go.wait()
        return Reply("Fine.", 1, 1, request.model)

    async def close(self) -> None:
        """Nothing is held open."""


def test_kept_answers_come_a_few_a_turn_while_a_request_is_in_flight() -> None:
    assert asyncio.run(most_in_a_turn(in_flight=True)) == AT_A_TIME


def test_kept_answers_come_at_once_where_nobody_waits() -> None:
    assert asyncio.run(most_in_a_turn(in_flight=False)) == 10 * AT_A_TIME


async def most_in_a_turn(in_flight: bool) -> int:
    """Of so many kept answers that are asked for together, the most that came in one turn of the loop."""
    held = Held()
    client = ModelClient(CallCache(MemoryCallStore()), lambda _: held)
    asked = [request_of(str(number)) for number in range(10 * AT_A_TIME)]
    for request in asked:
        await client.ask(request, 0)
    waiting = asyncio.create_task(client.ask(asked[0], 1)) if in_flight else None
    while in_flight and not client.throttles.are_busy:
        await asyncio.sleep(0)
    came: list[int] = []
    counts = []

    async def ask(request: Request) -> None:
        await client.ask(request, 0)
        came.append(1)

    tasks = [asyncio.create_task(ask(request)) for request in asked]
    while not all(task.done() for task in tasks):
        before = len(came)
        await asyncio.sleep(0)
        counts.append(len(came) - before)
    held.let_go.set()
    if waiting is not None:
        await waiting
    return max(counts)
