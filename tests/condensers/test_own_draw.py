"""Equal trajectories are condensed each for itself, and paid once over a resume."""

import asyncio
from dataclasses import replace

import pytest

from memtrial.condensers.baselines import Native
from memtrial.condensers.own_draw import OwnDraw
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Request, key_of
from memtrial.prompts.control_prompts import ControlPrompts
from tests.support.scripted_judge import SOLVED, Scripted, drafts
from tests.support.theory_loop import theory_loop

PROMPTS = ControlPrompts("for a success", "for a failure", "control: made up")
ALIKE = tuple(replace(SOLVED, trace_id=f"run {n}") for n in range(3))


def condense_twice(kind: str) -> list[int]:
    """Requests that reached the model, after a first session and after one that begins again."""
    cache, sent = CallCache(MemoryCallStore()), []
    backend = Scripted(lambda asked: drafts() if kind == "theory" else "# Memory Item 1\n## Title A")
    for _ in range(2):
        caller = Caller(ModelClient(cache, lambda name: backend), "scripted/judge", 1.0)
        condenser = theory_loop(caller, (), 2, "full") if kind == "theory" else Native(caller, PROMPTS)

        async def condense(condenser=OwnDraw(condenser, caller)) -> None:
            await asyncio.gather(*(condenser(one) for one in ALIKE))

        asyncio.run(condense())
        sent.append(len(backend.seen))
    return sent


@pytest.mark.parametrize("kind", ["native", "theory"])
def test_each_trajectory_is_a_request_of_its_own_and_asked_once(kind: str) -> None:
    assert condense_twice(kind) == [3, 3]


def test_a_draw_is_part_of_the_key_and_not_of_what_is_sent() -> None:
    plain = Request("m/x", ())
    assert key_of(plain, 0) != key_of(replace(plain, draw="a"), 0) != key_of(replace(plain, draw="b"), 0)
    assert plain.digest == replace(plain, draw="a").digest
