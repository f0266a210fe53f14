"""The throttle of a provider: never more in flight than its limit, halved once for a volley, grown back."""

import asyncio
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.models.client.limits import Throttle

SECOND = 1.0


class Clock(asyncio.SelectorEventLoop):
    """A loop whose time is moved by its own timers: waiting costs nothing, and is exact."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.now = max(self.now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def timed(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(work)


def now() -> float:
    return asyncio.get_running_loop().time()


@settings(max_examples=30, deadline=None)
@given(
    most=st.integers(1, 5),
    requests=st.lists(
        st.tuples(
            st.floats(0, 2), st.floats(0.1, 2), st.sampled_from(["answered", "refused", "broke", "cancelled"])
        ),
        min_size=1,
        max_size=30,
    ),
)
def test_never_more_in_flight_than_the_limit_and_everybody_gets_through(most, requests):
    async def all_of_them():
        throttle, flying, through = Throttle(most), 0, 0

        async def one(begin_s, lasts_s, end):
            nonlocal flying, through
            await asyncio.sleep(begin_s)
            async with throttle.slot() as begun:
                # whoever gets in sees at most as many as the limit allows just now, himself among them, and
                # those that were given a slot and have not woken up yet
                flying += 1
                assert flying <= throttle.state.active <= throttle.state.limit <= most
                try:
                    await asyncio.sleep(lasts_s)
                    if end == "refused":
                        throttle.note_refusal(begun, 0.5)
                    elif end == "answered":
                        throttle.note_answer()
                finally:
                    flying -= 1
                through += end != "cancelled"

        tasks = [asyncio.create_task(one(*request)) for request in requests]
        for task, (begin_s, _, end) in zip(tasks, requests, strict=True):
            if end == "cancelled":
                asyncio.get_running_loop().call_later(begin_s + 0.05, task.cancel)
        await asyncio.wait(tasks, timeout=1000)
        assert all(task.done() for task in tasks)
        for task in tasks:
            assert task.cancelled() or task.exception() is None
        assert through == sum(end != "cancelled" for _, _, end in requests)
        assert throttle.state.active == 0

    timed(all_of_them())


def test_a_volley_halves_once_and_a_later_refusal_again():
    async def volley():
        throttle = Throttle(16)

        async def refused():
            async with throttle.slot() as begun:
                await asyncio.sleep(SECOND)
                return throttle.note_refusal(begun, 0.0)

        first = await asyncio.gather(*(refused() for _ in range(16)))
        limits = [throttle.state.limit]
        await asyncio.sleep(SECOND)
        second = await asyncio.gather(*(refused() for _ in range(8)))
        return sum(first), sum(second), [*limits, throttle.state.limit]

    assert timed(volley()) == (1, 1, [8, 4])


def test_one_refusal_among_many_answers_takes_little_and_a_second_volley_half():
    async def ask():
        throttle, limits = Throttle(100), []

        async def end(answered, refused):
            async with asyncio.TaskGroup() as group:
                for number in range(answered + refused):
                    group.create_task(one(number < answered))
            await asyncio.sleep(SECOND)
            limits.append(throttle.state.limit)

        async def one(answers):
            async with throttle.slot() as begun:
                await asyncio.sleep(SECOND if answers else 2 * SECOND)
                if answers:
                    throttle.note_answer()
                else:
                    throttle.note_refusal(begun, 0.0)

        await end(49, 1)
        await end(0, 99)
        await end(0, 50)
        return limits

    # a hundredth; what was met before the cut counts no more, so that the next one is by half
    assert timed(ask()) == [99, 49, 24]


def test_two_in_a_hundred_refused_leave_most_connections_open():
    async def ask():
        throttle, limits = Throttle(200), []

        async def one(number):
            async with throttle.slot() as begun:
                await asyncio.sleep(SECOND)
                if number % 50:
                    throttle.note_answer()
                else:
                    throttle.note_refusal(begun, 0.0)
                limits.append(throttle.state.limit)

        await asyncio.gather(*(one(number) for number in range(1, 6000)))
        return limits[3000:]

    assert min(timed(ask())) >= 50


def test_it_never_falls_below_one_and_grows_back_a_place_a_round():
    async def grow():
        throttle = Throttle(8)
        for _ in range(10):
            async with throttle.slot() as begun:
                await asyncio.sleep(SECOND)
                throttle.note_refusal(begun, 0.0)
        limits = [throttle.state.limit]
        for _ in range(200):
            throttle.note_answer()
            limits.append(throttle.state.limit)
        return limits

    limits = timed(grow())
    assert limits[0] == 1
    assert limits[-1] == 8
    assert limits == sorted(limits)
    # from n places to n + 1 takes about n answers: never a jump
    assert all(after - before <= 1 for before, after in pairwise(limits))
    assert limits.count(5) >= 4


def test_nothing_is_sent_until_the_wait_that_was_asked_for_is_over():
    async def wait():
        throttle, begun_at = Throttle(4), []

        async def one():
            async with throttle.slot():
                begun_at.append(now())
                await asyncio.sleep(0.1)

        async with throttle.slot() as begun:
            await asyncio.sleep(SECOND)
            throttle.note_refusal(begun, 30.0)
        throttle.note_refusal(begun, 5.0)  # a shorter wait does not shorten the longer one
        await asyncio.gather(*(one() for _ in range(6)))
        return begun_at

    assert min(timed(wait())) >= 31.0


@pytest.mark.parametrize("closed_s", [0.0, 10.0])
def test_a_cancelled_waiter_leaves_its_place_to_the_next(closed_s):
    async def cancel():
        throttle = Throttle(1)

        async def one():
            async with throttle.slot():
                await asyncio.sleep(SECOND)

        async with throttle.slot() as begun:
            waiting = [asyncio.create_task(one()) for _ in range(3)]
            await asyncio.sleep(SECOND)
            if closed_s:
                throttle.note_refusal(begun, closed_s)
        # the first one is offered the place now, and goes away before it takes it
        if closed_s:
            await asyncio.sleep(SECOND)
        waiting[0].cancel()
        done, left = await asyncio.wait(waiting, timeout=100)
        return len(done), len(left), throttle.state.active

    assert timed(cancel()) == (3, 0, 0)


def test_who_waits_is_told_when_there_is_nothing_to_wait_for():
    class Over(RuntimeError):
        pass

    async def wait():
        throttle, over = Throttle(1), False

        def go_on():
            if over:
                raise Over

        async def one():
            async with throttle.slot(go_on):
                raise AssertionError("it was let in")

        async with throttle.slot() as begun:
            throttle.note_refusal(begun, 600.0)
        waiting = asyncio.create_task(one())
        await asyncio.sleep(SECOND)
        over = True
        before = now()
        with pytest.raises(Over):
            await waiting
        assert throttle.state.active == 0
        return now() - before

    assert timed(wait()) < 1.0


def test_the_lowest_rank_goes_first_and_none_that_comes_later_overtakes():
    async def ask_in_turn():
        throttle, order = Throttle(1), []

        async def one(name, rank, times=1):
            for _ in range(times):
                async with throttle.slot(rank=rank):
                    order.append(name)
                    await asyncio.sleep(SECOND)

        async with asyncio.TaskGroup() as group:
            group.create_task(one("trial", (2, 4), times=2))
            for name, rank in (
                ("late turn", (2, 8)),
                ("gate", (1, 2)),
                ("training", (0, 9)),
                ("gate too", (1, 2)),
            ):
                group.create_task(one(name, rank))
        return order

    asked = timed(ask_in_turn())
    assert asked == ["trial", "training", "gate", "gate too", "trial", "late turn"]


def test_a_slot_that_was_given_to_one_that_ends_meanwhile_goes_on_to_the_next():
    async def cancel_on_waking():
        throttle, through = Throttle(1), []

        async def one(name):
            async with throttle.slot():
                through.append(name)

        async with throttle.slot():
            waiting = [asyncio.create_task(one(name)) for name in "ab"]
            await asyncio.sleep(0)
        waiting[0].cancel()  # it was given the slot, and has not woken up
        await asyncio.wait(waiting)
        return through, throttle.state.active

    assert timed(cancel_on_waking()) == (["b"], 0)
