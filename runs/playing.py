"""Play the blocks. A named fault becomes an error row; a bug rises."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from environments.world import World, WorldFault
from episodes.react import play
from ledger.rows import Status, TrialRow
from ledger.store import Ledger
from models.call import ModelFault
from models.door import Caller, Door
from runs.spec import Spec
from runs.trials import Block, Trial


async def play_blocks(
    spec: Spec,
    blocks: tuple[Block, ...],
    finished: frozenset[str],
    open_world: Callable[[], World],
    door: Door,
    ledger: Ledger,
    tick: Callable[[int, int], None],
) -> None:
    """Play what is not finished yet, a few blocks at a time; each block is committed whole.

    Args:
        finished: keys of trials that have ended before.
        tick: called after each block with its number of trials and of errors.
    """
    waiting: asyncio.Queue[Block] = asyncio.Queue()
    for block in blocks:
        waiting.put_nowait(block)

    async def work() -> None:
        world = open_world()
        try:
            while not waiting.empty():
                block = waiting.get_nowait()
                rows = [
                    await play_trial(spec, world, trial, door)
                    for trial in block.trials
                    if trial.key not in finished
                ]
                door.cache.flush()
                ledger.add_slots({trial.shown.digest: trial.shown.text for trial in block.trials})
                ledger.add_trials(rows)
                tick(len(block.trials), sum(row.status == "error" for row in rows))
        finally:
            world.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(min(spec.engine.workers, len(blocks))):
            group.create_task(work())


async def play_trial(spec: Spec, world: World, trial: Trial, door: Door) -> TrialRow:
    """One episode as its row."""
    caller = Caller(door, trial.backbone, spec.temperature, trial.repeat)
    injection = trial.arm.injection(trial.shown, trial.intact.watched)
    try:
        episode = await play(world, trial.task, caller, injection)
    except (WorldFault, ModelFault) as fault:
        return _row(trial, caller, "error", None, f"{type(fault).__name__}: {fault}", (), ())
    outcome = episode.outcome
    steps = tuple(
        {"thought": one.thought, "action": one.action, "observation": one.observation, "fault": one.fault}
        for one in episode.steps
    )
    firings = tuple(
        {"step": one.step, "item": one.item, "why": one.why, "shown": one.shown} for one in episode.firings
    )
    return _row(
        trial,
        caller,
        "success" if outcome.success else "failure",
        outcome.score,
        outcome.cause,
        steps,
        firings,
    )


def _row(
    trial: Trial,
    caller: Caller,
    status: Status,
    score: float | None,
    cause: str,
    steps: tuple[dict[str, Any], ...],
    firings: tuple[dict[str, Any], ...],
) -> TrialRow:
    meter = caller.meter
    return TrialRow(
        key=trial.key,
        backbone=trial.backbone,
        arm=trial.arm.name,
        condition=trial.condition,
        task=trial.task.id,
        family=trial.task.family,
        repeat=trial.repeat,
        status=status,
        score=score,
        cause=cause,
        slot=trial.shown.digest,
        empty_slot=trial.empty_slot,
        record=trial.intact.sources[0] if trial.intact.sources else "",
        steps=steps,
        firings=firings,
        calls=meter.calls,
        cached=meter.cached,
        input_tokens=meter.input_tokens,
        output_tokens=meter.output_tokens,
    )
