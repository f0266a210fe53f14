"""Collect: one trajectory for each training task, the same for all condensers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from numpy.random import default_rng

from arms.prepend import Prepend
from environments.world import Task, World
from episodes.react import play
from episodes.slot import NOTHING
from episodes.traces import read_traces, trace_from_json, trace_to_json
from episodes.trajectory import Step, Trajectory
from ledger.rows import TraceRow
from ledger.store import Ledger
from models.door import Caller, Door
from runs.spec import Spec

STREAM = 11
EXPERT_THOUGHT = "The way to do this is known."


async def collect(
    spec: Spec, backbone: str, world: World, door: Door, ledger: Ledger, tick: Callable[[], None]
) -> tuple[Trajectory, ...]:
    """The trajectories of one backbone; those the ledger holds already are taken from there.

    Raises:
        TraceFault: the trace file cannot be read; `check_spec` has read it before.
        WorldFault, ModelFault: the infrastructure broke.
    """
    if spec.traces.source == "import":
        assert spec.traces.path is not None  # the spec's own rule
        traces = read_traces(spec.traces.path)
        known = ledger.traces(backbone)
        ledger.add_traces(
            TraceRow(backbone, trace.task_id, trace_to_json(trace)) for trace in _first_of_each(traces, known)
        )
    else:
        await _gather(spec, backbone, world, door, ledger, tick)
    return tuple(trace_from_json(raw) for raw in ledger.traces(backbone).values())


async def _gather(
    spec: Spec, backbone: str, world: World, door: Door, ledger: Ledger, tick: Callable[[], None]
) -> None:
    tasks = world.tasks("train")
    order = default_rng([spec.seed, STREAM]).permutation(len(tasks))
    experts = {tasks[i].id for i in order[: round(len(tasks) * spec.traces.expert_share)]}
    done = ledger.traces(backbone)
    for task in tasks:
        tick()
        if task.id in done:
            continue
        if spec.traces.source == "expert" and task.id in experts:
            trace = expert(world, task)
        else:
            trace = await _attempts(spec, spec.traces.player or backbone, world, task, door)
        door.cache.flush()
        ledger.add_traces([TraceRow(backbone, task.id, trace_to_json(trace))])


async def _attempts(spec: Spec, player: str, world: World, task: Task, door: Door) -> Trajectory:
    """Tries without memory until one succeeds; the last one stands."""
    for attempt in range(spec.traces.attempts):
        # negative repeats: a training episode never shares an answer with a trial
        caller = Caller(door, player, spec.temperature, repeat=-1 - attempt)
        episode = await play(world, task, caller, Prepend()(NOTHING, ()))
        if episode.outcome.success:
            break
    return episode.trajectory()


def expert(world: World, task: Task) -> Trajectory:
    """The world's own path, walked in the world."""
    state = world.reset(task)
    start = state.observation
    steps = []
    for action in world.ground_truth(task).path:
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


def _first_of_each(traces: tuple[Trajectory, ...], known: Mapping[str, object]) -> tuple[Trajectory, ...]:
    """One trace a source task: a record holds the items of one."""
    first: dict[str, Trajectory] = {}
    for trace in traces:
        if trace.task_id not in known:
            first.setdefault(trace.task_id, trace)
    return tuple(first.values())
