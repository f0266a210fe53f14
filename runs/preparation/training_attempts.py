"""Attempts at a training task, without memory: one after the other until one succeeds, or all together."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.slot import NOTHING
from memtrial.arms.arm import PREPEND
from memtrial.call_purpose import COLLECT
from memtrial.models.client.client import Caller, ModelClient
from memtrial.plugins.own_agent import load_agent
from memtrial.runs.setup.world_pool import Worlds, retry_episode
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import Task


async def play_training(
    spec: Spec, backbone: str, worlds: Worlds, task: Task, model_client: ModelClient, attempt: int
) -> Episode:
    """One attempt without memory."""
    # negative repeats: a training episode never shares an answer with a trial
    player, repeat = spec.traces.player or backbone, -1 - attempt
    drawn = sampling_of(spec.sampling.agent, "agent")
    caller = Caller(model_client, player, drawn.temperature, repeat, drawn.max_tokens, COLLECT)
    agent = load_agent(spec.agent, spec.seed)
    async with worlds.borrow() as world:
        return await retry_episode(partial(play, agent, world, task, caller, PREPEND(NOTHING, ())))


async def first_in_turn(plays: Sequence[Callable[[], Awaitable[Episode]]]) -> Episode:
    """The first attempt that succeeds, or the last one; none is begun after it."""
    for attempt in plays[:-1]:
        episode = await attempt()
        if episode.outcome.success:
            return episode
    return await plays[-1]()


async def first_of_all(plays: Sequence[Callable[[], Awaitable[Episode]]]) -> Episode:
    """The same of attempts that are begun together; of those after it nothing is seen, nor that one broke."""
    last: Episode | None = None
    for ended in await asyncio.gather(*(attempt() for attempt in plays), return_exceptions=True):
        if isinstance(ended, BaseException):
            raise ended
        last = ended
        if last.outcome.success:
            break
    assert last is not None  # there is one attempt at least
    return last
