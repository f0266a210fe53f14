"""Collect: one trajectory for each training task, the same for all condensers."""

from collections.abc import Callable
from functools import partial

from loadbearing.arms.prepend import Prepend
from loadbearing.environments.world import Task, World
from loadbearing.episodes.react import play
from loadbearing.episodes.slot import NOTHING
from loadbearing.episodes.traces import read_traces, trace_from_json, trace_to_json
from loadbearing.episodes.trajectory import Step, Trajectory
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.ledger.rows import TraceRow
from loadbearing.ledger.store import Ledger
from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.runs.prepare.retry_once import two_rounds
from loadbearing.runs.setup.worlds import Worlds, open_world, unbroken
from loadbearing.runs.spec.sampling import sampling_of
from loadbearing.runs.spec.spec import Spec

COLLECT = "collect"
"""The purpose of the calls of training episodes."""
EXPERT_THOUGHT = "The way to do this is known."


async def collect(
    spec: Spec,
    backbone: str,
    world: World,
    model_client: ModelClient,
    ledger: Ledger,
    tick: Callable[[], None],
    at_once: int = 1,
) -> tuple[Trajectory, ...]:
    """The trajectories of one backbone, in the order of the tasks; those the ledger holds are taken."""
    done, lost = ledger.traces(backbone), ledger.lost_traces(backbone)
    if spec.traces.source == "import":
        assert spec.traces.path is not None  # the spec's own rule
        # one trace a source task: a record holds the items of one
        first: dict[str, Trajectory] = {}
        for trace in read_traces(spec.traces.path):
            first.setdefault(trace.task_id, trace)
        ledger.add_traces(
            TraceRow(backbone, name, trace_to_json(trace))
            for name, trace in first.items()
            if name not in done
        )
        return tuple(trace_from_json(raw) for raw in ledger.traces(backbone).values())
    tasks = world.tasks("train")
    waiting = {task.id: task for task in tasks if task.id not in done and task.id not in lost}
    for _ in range(len(tasks) - len(waiting)):
        tick()
    order = generator(spec.seed, Stream.EXPERTS).permutation(len(tasks))
    experts = {tasks[i].id for i in order[: round(len(tasks) * spec.traces.expert_share)]}
    worlds = Worlds(lambda: open_world(spec), at_once, [world])

    async def one(task_id: str) -> None:
        async with worlds.one() as own:
            if spec.traces.source == "expert" and task_id in experts:
                trace = expert(own, waiting[task_id])
            else:
                trace = await _played(spec, backbone, own, waiting[task_id], model_client)
        model_client.cache.flush()
        ledger.add_traces([TraceRow(backbone, task_id, trace_to_json(trace))])
        tick()

    most_lost = int(spec.engine.max_error_share * len(tasks))
    try:
        broken = await two_rounds(tuple(waiting), one, at_once, most_lost - len(lost), model_client.forgive)
    finally:
        worlds.close()
    for task_id, fault in broken.items():
        ledger.lose_trace(backbone, task_id, str(fault))
    have = ledger.traces(backbone)
    return tuple(trace_from_json(have[task.id]) for task in tasks if task.id in have)


async def _played(
    spec: Spec, backbone: str, world: World, task: Task, model_client: ModelClient
) -> Trajectory:
    """Tries without memory until one succeeds; the last one stands."""
    for attempt in range(spec.traces.attempts):
        # negative repeats: a training episode never shares an answer with a trial
        player, repeat = spec.traces.player or backbone, -1 - attempt
        drawn = sampling_of(spec.sampling.agent, "agent")
        caller = Caller(model_client, player, drawn.temperature, repeat, drawn.max_tokens, COLLECT)
        episode = await unbroken(partial(play, world, task, caller, Prepend()(NOTHING, ())))
        if episode.outcome.success:
            break
    return episode.trajectory()


def expert(world: World, task: Task) -> Trajectory:
    """The world's own path, walked in the world."""
    path = world.ground_truth(task).path
    state = world.reset(task)
    start = state.observation
    steps = []
    for action in path:
        if state.done:
            break
        state = world.step(action)
        steps.append(Step(EXPERT_THOUGHT, action, state.observation, "refused" if state.refused else ""))
    outcome = world.outcome()
    return Trajectory(
        trace_id=task.id,
        task_id=task.id,
        query=task.query,
        outcome="success" if outcome.success else "failure",
        steps=tuple(steps),
        start=start,
        family=task.family,
        score=outcome.score,
    )
