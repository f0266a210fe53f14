"""Play an agent in one task, or see no more than what it would ask first."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress

from memtrial.agents.episode import AgentFault, Episode
from memtrial.agents.recorded_ask import AskLimitFault, RecordedAsk
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld, LastReply, call_world
from memtrial.models.client.client import Caller
from memtrial.models.client.types import Message, Reply
from memtrial.protocols import Agent, Carrier, World
from memtrial.worlds.world import Outcome, State, Task, UnscoredFault

GAVE_UP = "gave up"
"""Why an episode ended that its agent ended itself."""


async def play(
    agent: Agent,
    world: World,
    task: Task,
    caller: Caller,
    carrier: Carrier,
    items: tuple[str, ...] = (),
    most_asks: int | None = None,
) -> Episode:
    """One episode from its beginning to its end; `items` are those of the carrier's opening.

    Args:
        most_asks: requests at most; where they are spent, the episode is over. None: as many as it takes.

    Raises WorldFault, ModelFault or AgentFault where the infrastructure or the agent's code broke, HaltFault
    or StoreFault as `ModelClient.ask`.
    """
    memory = EpisodeMemory(task, carrier, carrier.opening(), items)
    last = LastReply()
    ask = RecordedAsk(caller, memory, last, most_asks)
    limit = world.step_limit(task)
    if most_asks is not None:
        limit = min(limit, most_asks)  # an agent asks once a turn, at least
    stage = EpisodeWorld(world, task, memory, last, limit, repeat=caller.repeat, backbone=caller.model)
    try:
        with suppress(AskLimitFault):
            await agent(task, stage, memory, ask)
    finally:
        if stage.used is not None:
            usage, calls = stage.used
            caller.meter.add_reported(usage.input_tokens, usage.output_tokens, usage.usd, calls)
    if not stage.start:
        raise AgentFault(f"agent {agent.name} never began its episode; `await world.begin()` first")
    try:
        outcome = stage.reported or _settle_outcome(stage, await call_world(world, world.outcome))
    except UnscoredFault as fault:
        raise AgentFault(
            f"agent {agent.name} ended without an outcome, and {fault}; world.report(Outcome(...)) states it"
        ) from fault
    return Episode(
        task,
        stage.start,
        tuple(stage.steps),
        outcome,
        carrier.firings(),
        tuple(ask.conversation),
        tuple(ask.sent),
        stage.limit,
        tuple(memory.withheld),
        carrier.broken(),
        stage.reported is not None,
        None if memory.handed is None else tuple(memory.handed),
        tuple(memory.seen),
        memory.asked,
    )


def _settle_outcome(stage: EpisodeWorld, outcome: Outcome) -> Outcome:
    """The world's outcome, with the cause that only the course of the episode tells."""
    steps = stage.steps
    if stage.last.refused:
        return Outcome(False, outcome.score, "refusal")
    if outcome.success or outcome.cause or stage.done:
        return outcome
    if 2 * sum(step.fault == "format" for step in steps) >= len(steps) > 0:
        return Outcome(False, outcome.score, "broken format")
    return Outcome(False, outcome.score, "step limit" if len(steps) >= stage.limit else GAVE_UP)


async def first_request(
    agent: Agent, world: World, task: Task, state: State, carrier: Carrier
) -> tuple[Message, ...]:
    """What an agent would send first where a task begins in this state; empty where it sends nothing.

    No model is asked, and nothing is done in the world.
    """
    asked: asyncio.Future[tuple[Message, ...]] = asyncio.get_running_loop().create_future()
    memory = EpisodeMemory(task, carrier, carrier.opening())

    async def keep_first(messages: Sequence[Message], choices: Sequence[str] = ()) -> Reply:  # noqa: ARG001
        if not asked.done():
            asked.set_result(tuple(messages))
        await asyncio.Event().wait()  # for an answer that never comes
        raise AssertionError

    stage = EpisodeWorld(world, task, memory, LastReply(), world.step_limit(task), state)
    playing = asyncio.create_task(_run(agent(task, stage, memory, keep_first)))
    playing.add_done_callback(lambda _: None if asked.done() else asked.set_result(()))
    messages = await asked
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing  # raises what the agent's code raised
    return messages


async def _run(episode: Awaitable[None]) -> None:
    await episode
