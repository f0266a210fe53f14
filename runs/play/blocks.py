"""Play the blocks. A named fault becomes an error row; a bug rises."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial

from loadbearing.environments.world import World, WorldFault
from loadbearing.episodes.react import Episode, play
from loadbearing.ledger.rows import EpisodeRow, FiringEntry, Status, TrialRow
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault
from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.client import Caller, Meter, ModelClient
from loadbearing.models.client.transport import PLAY, HaltFault
from loadbearing.models.client.types import ModelFault, ProviderFault
from loadbearing.runs.errors import RunFault
from loadbearing.runs.play.delivery_proof import Delivery, prove
from loadbearing.runs.play.schedule import Ending, Limits, Opened, Schedule, ending_of
from loadbearing.runs.setup.world_pool import Worlds, unbroken
from loadbearing.runs.spec.spec import Spec
from loadbearing.runs.trials.adherence import followed
from loadbearing.runs.trials.trials import Block, Trial


async def play_blocks(
    spec: Spec,
    blocks: tuple[Block, ...],
    finished: frozenset[str],
    open_world: Callable[[], World],
    model_client: ModelClient,
    ledger: Ledger,
    tick: Callable[[int, int], None],
    limits: Limits | None = None,
    workers: int = 1,
) -> Ending:
    """Play what is not finished yet; each block is committed whole.

    Args:
        finished: keys of trials that are not played again.
        tick: called after each block with its number of trials and of errors.
        workers: episodes played at a time, each in a world of its own.

    Raises:
        RunFault: a world cannot be opened.
        StoreFault, LedgerFault: nothing more can be kept.
        sqlite3.DatabaseError: the file is damaged.
    """
    limits = limits or Limits()
    left = deque(
        (block, trials)
        for block in blocks
        if (trials := tuple(trial for trial in block.trials if trial.key not in finished))
    )
    schedule = Schedule(left, limits, None if limits.max_usd is None else dearest_block(ledger))
    worlds = Worlds(partial(_opened, open_world), workers)

    async def work() -> None:
        while (taken := await schedule.take()) is not None:
            opened, trial = taken
            try:
                async with worlds.one() as world:
                    row, episode = await play_trial(spec, world, trial, model_client)
                await asyncio.sleep(0)  # simulated answers never wait, and others want their turn
            except HaltFault as halt:
                await schedule.stop(ending_of(halt))
                return
            opened.rows.append(row)
            opened.episodes += [episode] if episode is not None else []
            opened.left -= 1
            if not opened.left:
                commit(opened, model_client, ledger)
                await schedule.finished(opened)
                tick(len(opened.block.trials), sum(row.status == "error" for row in opened.rows))

    broken: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(workers, sum(len(trials) for _, trials in left))):
                group.create_task(work())
    except* (RunFault, StoreFault, LedgerFault, sqlite3.DatabaseError) as faults:
        broken = faults.exceptions[0]
    finally:
        worlds.close()
    if broken is not None:
        raise broken
    return schedule.ending


def dearest_block(ledger: Ledger) -> float | None:
    """What the dearest block of earlier sessions cost, in US dollars; None where there is none."""
    costs: dict[tuple[str, str, int], float] = {}
    for row in ledger.trials():
        place = (row.backbone, row.task, row.repeat)
        costs[place] = costs.get(place, 0.0) + (row.usd or 0.0)
    return max(costs.values(), default=None)


def _opened(open_world: Callable[[], World]) -> World:
    try:
        return open_world()
    except WorldFault as fault:
        raise RunFault(f"no world can be opened: {fault}; the same command goes on from here") from fault


def commit(opened: Opened, model_client: ModelClient, ledger: Ledger) -> None:
    """One block, in the order of its plan, whichever trial ended first."""
    place = {trial.key: number for number, trial in enumerate(opened.block.trials)}
    rows = sorted(opened.rows, key=lambda row: place[row.key])
    model_client.cache.flush()
    ledger.add_slots(slots_of(opened.block.trials))
    ledger.add_trials(rows, sorted(opened.episodes, key=lambda row: place[row.key]))


def slots_of(trials: Iterable[Trial]) -> dict[str, str]:
    """Texts by digest: those that trials show, and those these were made of."""
    return {one.digest: one.text for trial in trials for one in (trial.shown, trial.intact.slot)}


async def play_trial(
    spec: Spec, world: World, trial: Trial, model_client: ModelClient
) -> tuple[TrialRow, EpisodeRow | None]:
    """One episode as its row, and what was said in it; an error leaves nothing said.

    Raises:
        HaltFault, StoreFault: nothing more may be sent; the trial is not over.
    """
    caller = Caller(model_client, trial.backbone, spec.temperature, trial.repeat, purpose=PLAY)

    async def attempt() -> Episode:
        caller.meter = Meter()  # only the attempt that counts is counted
        return await play(world, trial.task, caller, trial.arm.injection(trial.shown, trial.intact.watched))

    try:
        episode = await unbroken(attempt)
    except WorldFault as fault:
        return _broken(trial, caller, f"WorldFault: {fault}"), None
    except ProviderFault as fault:
        return _broken(trial, caller, f"ProviderFault ({fault.kind}): {fault}"), None
    except ModelFault as fault:
        return _broken(trial, caller, f"ModelFault: {fault}"), None
    proofs = prove(trial, episode)
    return _ended(trial, caller, episode, proofs), _said(trial, episode, proofs)


def _broken(trial: Trial, caller: Caller, cause: str) -> TrialRow:
    """The infrastructure's error: no score."""
    return _row(trial, caller.meter, "error", None, cause, (), (), None)


def _ended(trial: Trial, caller: Caller, episode: Episode, proofs: tuple[Delivery, ...]) -> TrialRow:
    """The agent's doing."""
    outcome = episode.outcome
    firings = tuple(
        FiringEntry(step=one.step, item=one.item, why=one.why, shown=one.shown) for one in episode.firings
    )
    status: Status = "success" if outcome.success else "failure"
    did = followed(trial.told, episode)
    return _row(trial, caller.meter, status, outcome.score, outcome.cause, firings, proofs, did)


def _row(
    trial: Trial,
    meter: Meter,
    status: Status,
    score: float | None,
    cause: str,
    firings: tuple[FiringEntry, ...],
    proofs: tuple[Delivery, ...],
    did: float | None,
) -> TrialRow:
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
        firings=firings,
        calls=meter.calls,
        cached=meter.cached,
        input_tokens=meter.input_tokens,
        output_tokens=meter.output_tokens,
        cache_read_tokens=meter.cache_read_tokens,
        cache_write_tokens=meter.cache_write_tokens,
        usd=meter.usd,
        carrying=sum(bool(proof.meant) for proof in proofs),
        undelivered=sum(not proof.verbatim for proof in proofs),
        followed=did,
    )


def _said(trial: Trial, episode: Episode, proofs: tuple[Delivery, ...]) -> EpisodeRow:
    return EpisodeRow(
        key=trial.key,
        conversation=tuple({"role": one.role, "content": one.content} for one in episode.conversation),
        steps=tuple(
            {"thought": one.thought, "action": one.action, "observation": one.observation, "fault": one.fault}
            for one in episode.steps
        ),
        calls=tuple(
            {
                "key": proof.key,
                "step": proof.step,
                "messages": proof.messages,
                "meant": proof.meant,
                "verbatim": proof.verbatim,
            }
            for proof in proofs
        ),
        start=episode.start,
    )
