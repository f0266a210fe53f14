"""Play the blocks and prove what was delivered. A named fault becomes an error row; a bug rises."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.call_purpose import PLAY
from memtrial.faults import RESUME, RunFault, StoreFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import EpisodeRow, FiringEntry, GradeEntry, TrialRow
from memtrial.ledger.shared_work import BlockRows, SharedWork
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault
from memtrial.models.client.client import Caller, Meter, ModelClient
from memtrial.models.client.shared_calls import ignore_wait
from memtrial.models.client.transport import CallTerms, HaltFault
from memtrial.protocols import LedgerStore, World
from memtrial.runs.engine.grades import grade_episode
from memtrial.runs.engine.leased_blocks import LeasedBlocks, name_place
from memtrial.runs.engine.run_limits import Limits
from memtrial.runs.engine.schedule import Ending, Opened, Schedule, ending_of
from memtrial.runs.engine.trial_faults import LOSING, TrialFault, attribute_fault
from memtrial.runs.engine.worker_pool import WorkerPool
from memtrial.runs.setup.given_parts import NOTHING_GIVEN, GivenParts
from memtrial.runs.setup.world_pool import Worlds, retry_episode
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.adherence import score_following, timing_of
from memtrial.runs.trials.advised_acts import score_acts
from memtrial.runs.trials.delivery_proof import name_delivery, prove
from memtrial.runs.trials.exposure import count_echoed_words, list_exposures
from memtrial.runs.trials.planned.left_blocks import LeftBlocks
from memtrial.runs.trials.trials import Block, Trial
from memtrial.worlds.world import WorldFault


@dataclass(frozen=True, slots=True)
class BlockPlayer:
    """Plays blocks, `workers` episodes at a time in worlds of their own; each block is committed whole.

    Args:
        most_waiting: episodes beside them that wait for an answer that another one has asked for.
    """

    spec: Spec
    open_world: Callable[[], World]
    model_client: ModelClient
    ledger: LedgerStore
    tick: Callable[[int, int], None]
    limits: Limits = field(default_factory=Limits)
    workers: int = 1
    most_waiting: int = 0
    given: GivenParts = NOTHING_GIVEN
    shared: SharedWork | None = None

    async def play(self, blocks: Sequence[Block], finished: frozenset[str]) -> Ending:
        """Play what is not finished: `finished` are keys of trials that are not played again."""
        left = LeftBlocks(blocks, finished)
        n = left.count(self.workers)
        if self.shared is None:
            schedule = Schedule(left, self.limits, dearest_block(self.ledger, self.limits))
        else:
            schedule = Schedule(limits=self.limits, leased=LeasedBlocks.of(self.shared, blocks, left.lay))
        worlds = Worlds(self.open_own_world, self.workers + self.most_waiting)
        pool = WorkerPool(partial(self._play_next, schedule, worlds), n, n + self.most_waiting)
        self.model_client.on_wait = pool.note_wait
        broken: BaseException | None = None
        try:
            await pool.run()
        except* (RunFault, StoreFault, LedgerFault, DatabaseFault) as faults:
            broken = faults.exceptions[0]
        finally:
            self.model_client.on_wait, self.model_client.is_ending = ignore_wait, False
            worlds.close()
        if broken is not None:
            raise broken
        return schedule.ending

    async def _play_next(self, schedule: Schedule, worlds: Worlds) -> bool:
        """Play an episode; False when there is none left, or none may be begun."""
        if (taken := await schedule.take()) is None:
            self.model_client.is_ending = True
            return False
        opened, group = taken
        try:
            async with worlds.borrow() as world:
                ended = await play_alike(self.spec, world, group, self.model_client, self.given)
            await asyncio.sleep(0)  # simulated answers never wait, and others want their turn
        except HaltFault as halt:
            await schedule.stop(ending_of(halt))
            return False
        opened.add(*ended)
        if not opened.left:
            await commit(opened, schedule, self.model_client, self.ledger, self.tick)
        return True

    def open_own_world(self) -> World:
        """A world to play in; RunFault where none can be opened."""
        try:
            return self.open_world()
        except WorldFault as fault:
            raise RunFault(f"no world can be opened: {fault}; {RESUME}") from fault


def dearest_block(ledger: LedgerStore, limits: Limits) -> float | None:
    """What the dearest block of earlier sessions cost, in USD; None without one, or without a budget."""
    if limits.max_usd is None:
        return None
    costs: dict[tuple[str, str, int], float] = {}
    for row in ledger.trials():
        place = (row.backbone, row.task, row.repeat)
        costs[place] = costs.get(place, 0.0) + (row.usd or 0.0)
    return max(costs.values(), default=None)


async def commit(
    opened: Opened,
    schedule: Schedule,
    model_client: ModelClient,
    ledger: LedgerStore,
    tick: Callable[[int, int], None],
) -> None:
    """Save a block that has ended, in the order of its plan, and let what waits for it know."""
    keys, texts = opened.block.keys, opened.block.texts
    place = {key: number for number, key in enumerate(keys)}
    rows = sorted(opened.rows, key=lambda row: place[row.key])
    episodes = sorted(opened.episodes, key=lambda row: place[row.key])
    totals = None
    try:
        if schedule.shared is None:
            model_client.cache.flush()
            ledger.add_slots(dict(texts))
            ledger.add_trials(rows, episodes)
        else:
            played = BlockRows(rows, episodes, texts, model_client.cache.hand_over())
            totals = schedule.shared.commit(name_place(opened.block), played, opened.cost)
    except (StoreFault, LedgerFault) as fault:
        # this block never ends: what waits for it must not wait longer
        await schedule.stop(ending_of(str(fault)))
        raise
    await schedule.close_block(opened, totals)
    tick(len(keys), opened.errors)


async def play_alike(
    spec: Spec,
    world: World,
    trials: Sequence[Trial],
    model_client: ModelClient,
    given: GivenParts = NOTHING_GIVEN,
    terms: CallTerms = CallTerms(),
) -> list[tuple[TrialRow, EpisodeRow | None]]:
    """One episode for trials with the same prompts, whose answers are the same: the first is played.

    For each its row, and what was said in it; an error leaves nothing said.
    """
    trial = trials[0]
    drawn = sampling_of(spec.sampling.agent, "agent")
    caller = Caller(
        model_client, trial.backbone, drawn.temperature, trial.draw, drawn.max_tokens, PLAY, terms
    )

    async def attempt() -> Episode:
        # a world that is waited for is not asked for this alone
        caller.terms = replace(terms, turns=0 if world.blocking else world.step_limit(trial.task))
        caller.meter = Meter()  # only the attempt that counts is counted
        agent, injection = given.open_agent(spec), trial.arm.injection
        carrier = injection(trial.shown, trial.intact.watched)
        items = () if injection.by_trigger else tuple(filter(None, trial.shown.items))
        return await play(agent, world, trial.task, caller, carrier, items)

    try:
        episode = await retry_episode(attempt)
        grades = await grade_episode(spec, caller, episode, trial.draw)
    except LOSING as fault:
        lost = attribute_fault(fault)
        rows = [_error_row(each, caller, lost) for each in trials]
        return [(rows[0], None), *((replace(row, reported_usd=0.0), None) for row in rows[1:])]
    if (usage := episode.outcome.usage) is not None:
        caller.meter.add_reported(usage.input_tokens, usage.output_tokens, usage.usd)
    ended = (_write_rows(each, trial, caller, episode) for each in trials)
    return [(apply_grades(row, grades, spec.grading.oracle), spoken) for row, spoken in ended]


def _write_rows(trial: Trial, played: Trial, caller: Caller, episode: Episode) -> tuple[TrialRow, EpisodeRow]:
    """A trial as its rows; `played` is the one whose episode it shares."""
    # of an agent that reports its outcome no act is seen: whether it did what it was told is not known
    told, others = ((), ()) if episode.reported else (trial.told_actions, trial.other_actions)
    proofs, timing = prove(trial, episode), timing_of(told, trial.path, episode)
    acts = score_acts(told, others, episode)
    row = TrialRow(
        **_known_before(trial, caller),
        status="success" if episode.outcome.success else "failure",
        cause=episode.outcome.cause,
        score=episode.outcome.score,
        firings=tuple(
            FiringEntry(step=firing.step, item=firing.item, why=firing.why, shown=firing.shown)
            for firing in episode.firings
        ),
        carrying=sum(bool(proof["meant"]) for proof in proofs),
        undelivered=sum(not proof["verbatim"] for proof in proofs),
        handed=sum(not proof["key"] for proof in proofs),
        delivery=name_delivery(trial, episode) or "",
        followed=score_following(told, episode),
        did_told=acts.told,
        did_avoided=acts.avoided,
        did_other=acts.other,
        exposures=list_exposures(trial, episode),
        echoed=count_echoed_words(trial, episode),
        broken=len({check.step for check in episode.broken}),
        withheld=len(episode.withheld),
        changed=sum(held.changed for held in episode.withheld),
        timed=timing.fired,
        false_fires=timing.false_fires,
        moments=timing.moments,
        missed=timing.missed,
    )
    if trial is not played:
        row = replace(row, cached=row.calls, shared=played.key, reported_usd=0.0)
    spoken = EpisodeRow(
        key=trial.key,
        conversation=tuple(
            {"role": message.role, "content": message.text} for message in episode.conversation
        ),
        # not by asdict, which looks for dataclasses in every text
        steps=tuple(
            {
                "thought": step.thought,
                "action": step.action,
                "observation": step.observation,
                "fault": step.fault,
            }
            for step in episode.steps
        ),
        calls=proofs,
        start=episode.start,
    )
    return row, spoken


def apply_grades(row: TrialRow, grades: tuple[GradeEntry, ...], oracle: bool) -> TrialRow:
    """A trial as a judge of success has it, if one was asked; `oracle`: keep the world's word beside it."""
    if not grades:
        return row
    solved = grades[0]["label"] == "success"
    return replace(
        row,
        status="success" if solved else "failure",
        score=float(solved),
        cause="" if solved else row.cause or "judged a failure",
        grades=grades,
        oracle=row.status if oracle else "",
    )


def _error_row(trial: Trial, caller: Caller, lost: TrialFault) -> TrialRow:
    """The row of a trial that was lost."""
    return TrialRow(
        **_known_before(trial, caller),
        status="error",
        score=None,
        cause=lost.cause,
        boundary=lost.boundary,
        fault=lost.kind,
    )


def _known_before(trial: Trial, caller: Caller) -> dict[str, Any]:
    """The fields of a trial's row that no episode leaves: its place, its memory, and what its calls took."""
    return {
        "key": trial.key,
        "backbone": trial.backbone,
        "arm": trial.arm.name,
        "condition": trial.condition,
        "task": trial.task.id,
        "family": trial.task.family,
        "repeat": trial.repeat,
        "slot": trial.shown.digest,
        "empty_slot": trial.empty_slot,
        "record": trial.intact.sources[0] if trial.intact.sources else "",
        "similarity": trial.intact.similarity,
        "items": tuple(trial.items),
        **vars(caller.meter),
    }
