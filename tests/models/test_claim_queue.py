"""Whoever waits for another worker's answer gives its place away, and one look asks for all that wait."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from memtrial.models.client.limits import Throttles
from memtrial.models.client.shared_calls import ClaimQueue, SharedRates


@dataclass
class OtherWorker:
    """Another worker that asks some calls, and answers or gives up each after so many looks."""

    looks: dict[bytes, int]
    answers: frozenset[bytes]
    claims: Counter[bytes] = field(default_factory=Counter)
    looked: list[int] = field(default_factory=list)

    @property
    def rates(self) -> SharedRates:
        raise AssertionError("no request is sent here")

    def is_kept(self, key: bytes) -> bool:
        return key in self.answers and not self.looks.get(key)

    def claim(self, key: bytes) -> bool:
        self.claims[key] += 1
        return not self.looks.get(key) and key not in self.answers

    def release(self, key: bytes) -> None:
        raise AssertionError("nothing was claimed")

    def list_settled(self, keys: Sequence[bytes]) -> list[bytes]:
        self.looked.append(len(keys))
        for key in keys:
            self.looks[key] -= 1
        return [key for key in keys if not self.looks[key]]


def wait_for_all(other: OtherWorker, keys: Sequence[bytes], halted: str = "") -> tuple[list[bool], list[int]]:
    """Whether each key was to be asked here, and what `on_wait` heard."""
    heard: list[int] = []

    async def claim_all() -> list[bool]:
        queue = ClaimQueue(other, lambda: halted, heard.append)
        async with asyncio.timeout(20):
            return await asyncio.gather(
                *(queue.claim(key, lambda key=key: other.is_kept(key)) for key in keys)
            )

    return asyncio.run(claim_all()), heard


def test_what_nobody_asks_is_claimed_at_once_and_nobody_waits() -> None:
    assert wait_for_all(OtherWorker({}, frozenset()), [b"1", b"2"]) == ([True, True], [])


def test_who_waits_gives_its_place_away_until_the_answer_is_there_or_the_other_one_gave_up() -> None:
    other = OtherWorker({b"1": 1, b"2": 2, b"3": 2}, frozenset([b"1", b"2"]))
    claimed, heard = wait_for_all(other, [b"1", b"2", b"3"])
    assert claimed == [False, False, True]
    assert heard == [1, 1, 1, -1, -1, -1]
    # two looks for three that wait, and no claim between
    assert other.looked == [3, 2]
    assert other.claims == {b"1": 2, b"2": 2, b"3": 2}


def test_a_session_that_was_halted_waits_for_nobody() -> None:
    assert wait_for_all(OtherWorker({b"1": 9}, frozenset()), [b"1"], "stopped") == ([False], [])


def test_a_part_of_nothing_lets_nothing_through_and_a_halt_still_reaches_who_waits() -> None:
    async def ask() -> list[str]:
        throttles, said = Throttles(), list[str]()
        throttle, halted = throttles.of("p", 8, ruled=True), False

        def go_on() -> None:
            if halted:
                raise RuntimeError

        async def send(name: str) -> None:
            try:
                async with throttle.slot(go_on) as begun:
                    said.append(name)
                    assert not throttle.note_refusal(begun, 0.0)
            except RuntimeError:
                said.append(f"{name} halted")

        first = asyncio.create_task(send("first"))
        await asyncio.sleep(0)
        assert throttles.begun.is_set()
        assert not said
        throttles.allow("p", 1)
        await first
        use = throttles.take_uses()["p"]
        assert (use.active, use.wanted, throttles.states()["p"].limit) == (0, 1, 1)
        throttles.allow("p", 0)
        second = asyncio.create_task(send("second"))
        await asyncio.sleep(0)
        halted = True
        throttles.recall()
        await asyncio.wait_for(second, 20)
        return said

    assert asyncio.run(ask()) == ["first", "second halted"]
