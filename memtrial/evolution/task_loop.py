"""The loop over one task: retrieve, play, judge, distil, keep, use (REQUIREMENTS A-01, F-46, R-02, R-25)."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Moment
from memtrial.evolution.evolve_spec import EvolveArm
from memtrial.evolution.retrieved_items import ShownItems, shown_of
from memtrial.evolution.rollout import Rollout
from memtrial.evolution.scaled_task import Players, TriedTask, try_task
from memtrial.evolution.stream_rows import ConsolidationCount, Span, SpanRow, TaskRow
from memtrial.judges.contradiction_judge import AskedContradiction
from memtrial.memory.bank.confidence.verdict_audit import WORLD
from memtrial.memory.bank.consolidation.consolidation_plan import ConsolidationPlan
from memtrial.memory.bank.distillation.distilled_items import Distillation
from memtrial.memory.bank.distillation.told_truths import Truths
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.ranking.ranked_hit import Ranking
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.search.task_query import form_query
from memtrial.memory.bank.search.turn_signs import TurnRanking
from memtrial.memory.bank.taught_runs import Taught, teach_attempts, teach_drafts, teach_run
from memtrial.memory.stored_item import MemoryFault
from memtrial.memory.systems.bank_system import RunClock
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller
from memtrial.models.client.types import ModelFault
from memtrial.runs.engine.stream_mode import without_memory
from memtrial.runs.setup.world_pool import begun
from memtrial.worlds.world import Task, WorldFault

LOSING = (WorldFault, MemoryFault, ModelFault)
"""Faults that lose one task. Others stop the evolution."""


@dataclass
class StreamMemory:
    """The bank of one arm in one stream, and who writes into it.

    Args:
        door: the writer's model, and the embedder.
        caller: what the writer's requests are counted by.
        clock: the bank's; a task is a day, so that a stream can be repeated to the byte.
        truths: by task, its right answers, in training alone; else empty.
        opposes: whom a consolidation asks whether items contradict each other; None: their words.
    """

    bank: ReasoningBank
    door: SystemDoor
    caller: Caller
    clock: RunClock
    truths: dict[str, Truths] = field(default_factory=dict)
    opposes: Caller | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def rank(self, query: str) -> Ranking:
        """What a task is shown that asks for this."""
        return await self.door.work(lambda: self.bank.rank(query))

    async def search(self, moment: Moment, passed: Collection[str]) -> TurnRanking | None:
        """What comes up in the midst of a task; tries that run side by side search one after the other."""
        async with self._turn:
            return await self.door.work(lambda: self.bank.rank_within(moment, passed))

    async def settle(self, ranking: Ranking, task: Task, tried: Rollout, success: bool) -> None:
        """Count what was shown and cited; how the task ended is what its judge says."""
        within = [turn.search.ranking for turn in tried.entered]
        await self.door.work(lambda: self.bank.use(ranking, task.id, tried.cited, success, within))

    async def teach(
        self, arm: EvolveArm, runs: Sequence[LabelledRun], handed: LabelledRun, task: Task
    ) -> Taught:
        """Have the runs distilled and kept: all of a task together, or the one that was handed in."""
        truth = self.truth_shown(arm, task)

        def work() -> Taught:
            if arm.mode == "sequential" and compares(arm):
                return teach_drafts(self.bank, self.door.ask, runs)
            if arm.mode == "parallel" and compares(arm):
                return teach_attempts(self.bank, self.door.ask, runs, truth=truth)
            return teach_run(self.bank, self.door.ask, handed, truth=truth)

        return await self.door.work(work)

    async def consolidate(self) -> ConsolidationPlan | None:
        """Consolidate the bank where that is due."""
        if self.opposes is None:
            return await self.door.work(self.bank.consolidate)
        judge = AskedContradiction(self.opposes, self.door.wait_for)
        return await self.door.work(lambda: self.bank.consolidate(judge))

    def truth_shown(self, arm: EvolveArm, task: Task) -> Truths:
        """The right answers that the writer sees: none where nobody writes, or where drafts are compared."""
        unseen = arm.learn == "raw" or (arm.mode == "sequential" and compares(arm))
        return () if unseen else self.truths.get(task.id, ())


def compares(arm: EvolveArm) -> bool:
    """Whether several tries at a task are compared with each other."""
    return arm.learn in ("both", "contrastive")


@dataclass
class TaskLoop:
    """One arm in one stream; `spans` and `consolidations` are written as it goes."""

    players: Players
    name: str
    arm: EvolveArm
    stream: int
    memory: StreamMemory | None
    run_id: str
    spans: list[SpanRow] = field(default_factory=list)
    consolidations: list[ConsolidationCount] = field(default_factory=list)

    async def run_task(self, task: Task, position: int) -> TaskRow:
        """Do one task, and learn from it; a fault of the infrastructure makes the row an error.

        Raises:
            HaltFault, StoreFault: nothing more can be sent or saved.
        """
        row = TaskRow(
            self.players.backbone, self.name, self.stream, position, task.id, task.family, None, None
        )
        try:
            return await self._do(task, position, row)
        except LOSING as fault:
            return replace(row, error=f"{type(fault).__name__}: {fault}")

    async def _do(self, task: Task, position: int, row: TaskRow) -> TaskRow:
        if self.memory is not None:
            self.memory.clock.n_runs = position
        ranking = await self._retrieve(task, position)
        items = ShownItems() if ranking is None else shown_of(ranking)
        within = self.memory if self.arm.retrieve == "within" else None
        search = None if within is None else within.search
        tried = await try_task(self.players, self.arm, task, items, search)
        chosen = tried.chosen
        for rollout in tried.rollouts:
            self._note_entered(position, rollout)
        varied = (
            "; ".join(rollout.variant for rollout in tried.rollouts) if self.arm.mode == "parallel" else ""
        )
        played = f"{len(tried.rollouts)} tries, {tried.calls} calls"
        self._note(position, "play", f"{played}: {varied}" if varied else played)
        self._note(position, "judge", chosen.label or "not readable")
        row = replace(
            row,
            solved=chosen.solved,
            score=chosen.trajectory.score,
            judged=chosen.label,
            tries=len(tried.rollouts),
            solved_tries=sum(rollout.solved for rollout in tried.rollouts),
            n_steps=len(chosen.trajectory.steps),
            calls=tried.calls,
            usd=_total([rollout.usd for rollout in tried.rollouts]),
            shown=items.with_entered(chosen.entered).ids,
            cited=chosen.cited,
        )
        if self.memory is None or ranking is None:
            return row
        if chosen.label:
            await self.memory.settle(ranking, task, chosen, chosen.label == "success")
            self._note(position, "use", f"{len(chosen.cited)} of {len(row.shown)} cited")
        return await self._learn(self.memory, task, row, tried, items)

    async def _retrieve(self, task: Task, position: int) -> Ranking | None:
        """What the task is shown before it begins; None where there is no memory."""
        if self.memory is None:
            return None
        query = task.query
        if self.arm.query == "task-and-start":
            async with self.players.worlds.borrow() as world:
                state = await begun(world, task)
            query = form_query(task.query, state.observation)
        ranking = await self.memory.rank(query)
        self._note_search(position, ranking, 0, "" if query == task.query else query)
        return ranking

    def _note_entered(self, position: int, tried: Rollout) -> None:
        """The searches in the midst of a try, each with the cues that were met."""
        for turn in tried.entered:
            met = "; ".join(dict.fromkeys(turn.search.met.values()))
            search = turn.search
            self._note_search(
                position, search.ranking, turn.step, search.query, f" in try {tried.index}: {met}"
            )

    def _note_search(self, position: int, ranking: Ranking, step: int, query: str, more: str = "") -> None:
        what = f"{len(ranking.hits)} items" if ranking.abstention is None else ranking.abstention.words
        self.spans.append(SpanRow(self.stream, self.name, position, "retrieve", f"{what}{more}", step, query))

    async def _learn(
        self, memory: StreamMemory, task: Task, row: TaskRow, tried: TriedTask, items: ShownItems
    ) -> TaskRow:
        """Have what the tries teach distilled and kept; a writer that gives no answer loses no outcome."""
        truth_seen = bool(memory.truth_shown(self.arm, task))
        runs = {
            rollout.index: self._labelled(rollout, items.with_entered(rollout.entered).texts, truth_seen)
            for rollout in tried.rollouts
            if rollout.label
        }
        handed = runs.get(tried.chosen.index)
        if handed is None and self.arm.mode == "parallel" and compares(self.arm):
            handed = next(iter(runs.values()), None)  # what the judge could read of the others is compared
        if handed is None:
            return row
        meter = memory.caller.meter
        before = meter.calls, meter.usd
        try:
            taught = await memory.teach(self.arm, tuple(runs.values()), handed, task)
        except ModelFault as fault:
            taught = Taught((), Distillation(calls=0, fault=f"the writer gave no answer: {fault}"))
        spent = None if meter.usd is None or before[1] is None else meter.usd - before[1]
        made = taught.distillation
        self._note(row.position, "distil", f"{len(made.items)} items in {made.calls} calls")
        self._note(row.position, "keep", f"{len(taught.item_ids)} items")
        plan = await memory.consolidate()
        if plan is not None:
            self._note(row.position, "consolidate", f"{len(plan.links)} links, {len(plan.changes)} changes")
            self.consolidations.append(_count_changes(row.position, plan))
        return replace(
            row,
            writer_calls=meter.calls - before[0],
            usd=_total([row.usd, spent]),
            new_items=taught.item_ids,
            unread=(*made.dropped, *filter(None, [made.fault])),
        )

    def _labelled(self, rollout: Rollout, texts: Sequence[str], truth_seen: bool) -> LabelledRun:
        """As memory sees it: with the judge's outcome, and without what its thoughts repeat of memory."""
        judge = self.players.judge or WORLD
        run = without_memory(rollout.judged, Slot("", tuple(texts)))
        own = rollout.trajectory.outcome
        return LabelledRun(run, judge, rollout.sure, self.run_id, truth_seen=truth_seen, world=own)

    def _note(self, position: int, span: Span, what: str) -> None:
        self.spans.append(SpanRow(self.stream, self.name, position, span, what))


def _count_changes(position: int, plan: ConsolidationPlan) -> ConsolidationCount:
    changes = plan.quarantines, plan.duplicates, plan.promotions, plan.archivings
    return ConsolidationCount(position, len(plan.links), *map(len, changes))


def _total(amounts: Sequence[float | None]) -> float | None:
    return None if any(amount is None for amount in amounts) else sum(filter(None, amounts))
