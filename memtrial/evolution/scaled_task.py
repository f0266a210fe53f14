"""One task, tried as an arm's mode says, within its requests: once, side by side, or with corrections.

Source: seeds/003 section 7 (MaTTS), seeds/004 4.5; REQUIREMENTS F-30, F-32, R-03, R-26, C20.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace

from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import recount
from memtrial.arms.arm import PREPEND
from memtrial.call_purpose import PLAY
from memtrial.evolution.evolve_spec import MOST_TRIES, EvolveArm
from memtrial.evolution.retrieved_items import ShownItems, find_cited
from memtrial.evolution.rollout import Rollout, choose_best
from memtrial.evolution.rollout_variants import RolloutVariant, list_tools, vary_rollouts
from memtrial.evolution.turn_search import SearchTurn, TurnSearch
from memtrial.judges.success import Grade, SuccessJudge
from memtrial.models.client.client import Caller, ModelClient
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.prompts.templates import Prompt
from memtrial.protocols import Agent, Carrier
from memtrial.runs.engine.stream_mode import without_memory
from memtrial.runs.setup.world_pool import Worlds, begun, retry_episode
from memtrial.runs.spec.sampling import Sampled
from memtrial.worlds.world import Task

CHECK = Prompt("check_and_correct")


@dataclass(frozen=True, slots=True)
class Players:
    """Who plays and who judges, the same for all tasks of a stream.

    Args:
        sampling: the agent's; the temperature of a variant takes the place of its own.
        judge: a model that judges; None: the world's own word.
        judging: the judge's sampling.
        stream: arms of one stream whose prompts are the same share an answer; streams do not.
        known: what the world accepts, by which an agent is seen to follow an item.
        most_calls: the agent's requests for one task; None: as many as the world's steps allow.
    """

    agent: Agent
    model_client: ModelClient
    worlds: Worlds
    backbone: str
    sampling: Sampled
    judge: str | None
    judging: Sampled
    stream: int
    known: Repertoire = NOTHING_KNOWN
    most_calls: int | None = None


@dataclass(frozen=True, slots=True)
class TriedTask:
    """What became of a task.

    Args:
        rollouts: in their order; fewer than planned where the requests were spent.
        chosen: the one that is handed in.
    """

    rollouts: tuple[Rollout, ...]
    chosen: Rollout

    @property
    def calls(self) -> int:
        """Requests of the agent, over all tries."""
        return sum(rollout.calls for rollout in self.rollouts)


async def try_task(
    players: Players, arm: EvolveArm, task: Task, items: ShownItems, search: SearchTurn | None = None
) -> TriedTask:
    """Try a task as the arm does, with these items in the prompt.

    Args:
        search: how more of the bank comes up in the midst of a try; None: nothing does.

    Raises:
        WorldFault, ModelFault, HaltFault, StoreFault: the infrastructure broke; the task is an error.
    """
    if arm.mode == "sequential":
        return await _correct(players, arm.r, task, items, search)
    variants = vary_rollouts(arm.k, arm.vary, await _find_tools(players, arm, task))
    # requests are shared out before the tries begin, since they run side by side
    shares = share_calls(players.most_calls, len(variants))
    tries = (
        _roll(players, task, variant, share, items, variant.hint, search)
        for variant, share in zip(variants, shares, strict=True)
        if share != 0
    )
    rollouts = tuple(await asyncio.gather(*tries))
    return TriedTask(rollouts, choose_best(rollouts))


async def _find_tools(players: Players, arm: EvolveArm, task: Task) -> tuple[str, ...]:
    """The kinds of actions that the world names for a task; none where tries do not vary by them."""
    if "tools" not in arm.vary:
        return ()
    async with players.worlds.borrow() as world:
        state = await begun(world, task)
    known = players.known
    # a task may begin with nothing to do but to wait
    listed = [action for actions in known.lists for action in actions] if state.actions else ()
    return list_tools(state.actions or (), known.forms) or list_tools(listed, known.forms)


def share_calls(most: int | None, n: int) -> tuple[int | None, ...]:
    """So many requests for each of n tries; the first ones get what does not divide."""
    if most is None:
        return (None,) * n
    each, left = divmod(most, n)
    return tuple(each + (place < left) for place in range(n))


async def _correct(
    players: Players, passes: int, task: Task, items: ShownItems, search: SearchTurn | None
) -> TriedTask:
    """One try, then passes of check and correct; the last is handed in, and all are kept."""
    drafts: list[Rollout] = []
    left = players.most_calls
    for index in range(passes + 1):
        if left == 0:
            break
        check = CHECK.render({"attempt": _attempt(drafts[-1], items)}) if drafts else ""
        # a pass may take what is left: the first draft is no more than a whole try
        draft = await _roll(players, task, RolloutVariant(index), left, items, check, search)
        drafts.append(draft)
        left = None if left is None else left - draft.calls
    return TriedTask(tuple(drafts), drafts[-1])


def _attempt(draft: Rollout, items: ShownItems) -> str:
    """What was done, without how it ended: the agent does not know that."""
    texts = items.with_entered(draft.entered).texts
    whole = recount(without_memory(draft.trajectory, Slot("", texts)))
    return whole.rpartition("\n\nOutcome:")[0]


async def _roll(
    players: Players,
    task: Task,
    variant: RolloutVariant,
    most: int | None,
    items: ShownItems,
    more: str,
    search: SearchTurn | None,
) -> Rollout:
    """One try with the items and one text more behind them, and what the judge says of it."""
    temperature = players.sampling.temperature if variant.temperature is None else variant.temperature
    caller = Caller(
        players.model_client,
        players.backbone,
        temperature,
        _repeat(players, variant.index),
        players.sampling.max_tokens,
        PLAY,
    )
    shown = tuple(filter(None, (items.block, more)))
    slot = Slot("", shown)
    searches: list[TurnSearch] = []
    async with players.worlds.borrow() as world:

        def attempt() -> Awaitable[Episode]:
            carrier: Carrier = PREPEND(slot, ())
            if search is not None:
                carrier = TurnSearch(slot.text, items.ids, search)
                searches.append(carrier)
            return play(players.agent, world, task, caller, carrier, shown, most)

        episode = await retry_episode(attempt)
    # tries that went alike are runs of their own
    run = replace(episode.trajectory(), trace_id=f"{task.id}#{variant.index}")
    grade = await _judge(players, run, variant.index)
    meter = caller.meter
    entered = tuple(searches[-1].entered) if searches else ()
    cited = find_cited(items, entered, episode, players.known)
    return Rollout(
        variant.index,
        run,
        grade.label,
        grade.confidence,
        len(episode.sent),
        meter.usd,
        cited,
        entered,
        variant.words,
    )


async def _judge(players: Players, run: Trajectory, index: int) -> Grade:
    if players.judge is None:
        return Grade(run.outcome, 1.0)
    caller = Caller(
        players.model_client,
        players.judge,
        players.judging.temperature,
        _repeat(players, index),
        players.judging.max_tokens,
        PLAY,
    )
    return await SuccessJudge(caller)(run)


def _repeat(players: Players, index: int) -> int:
    """Which repeat of equal requests a try is."""
    return players.stream * MOST_TRIES * 2 + index
