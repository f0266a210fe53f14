"""The loop over one task: retrieve, play, judge, distil, keep, use (REQUIREMENTS A-01, F-46, R-02, R-25)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memtrial.agents.slot import Slot
from memtrial.evolution.evolve_spec import EvolveArm
from memtrial.evolution.rollout import Rollout
from memtrial.evolution.scaled_task import Players, try_task
from memtrial.evolution.shown_items import ShownItems, shown_of
from memtrial.evolution.stream_rows import Span, SpanRow, TaskRow
from memtrial.memory.bank.ranking.ranked_hit import Ranking
from memtrial.memory.bank.reasoning_bank import LabelledRun, ReasoningBank
from memtrial.memory.bank.taught_runs import Taught, teach_attempts, teach_drafts, teach_run
from memtrial.memory.stored_item import MemoryFault
from memtrial.memory.systems.bank_system import RunClock
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller
from memtrial.models.client.types import ModelFault
from memtrial.runs.engine.stream_mode import without_memory
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
        truths: by task, its right answer, in training alone; else empty.
    """

    bank: ReasoningBank
    door: SystemDoor
    caller: Caller
    clock: RunClock
    truths: dict[str, str] = field(default_factory=dict)

    async def rank(self, task: Task) -> Ranking:
        """What the task is shown."""
        return await self.door.work(lambda: self.bank.rank(task.query))

    async def settle(self, ranking: Ranking, task: Task, cited: Sequence[str], success: bool) -> None:
        """Count what was shown and cited; how the task ended is what its judge says."""
        await self.door.work(lambda: self.bank.use(ranking, task.id, cited, success))

    async def teach(self, arm: EvolveArm, runs: Sequence[LabelledRun], task: Task) -> Taught:
        """Have the runs distilled and kept."""
        truth = self.truths.get(task.id, "")

        def work() -> Taught:
            if arm.mode == "sequential" and arm.learn not in ("raw", "success-only"):
                return teach_drafts(self.bank, self.door.ask, runs)
            if arm.mode == "parallel" and arm.learn not in ("raw", "success-only"):
                return teach_attempts(self.bank, self.door.ask, runs, truth=truth)
            return teach_run(self.bank, self.door.ask, runs[-1], truth=truth)

        return await self.door.work(work)


@dataclass
class TaskLoop:
    """One arm in one stream; `spans` are written as it goes."""

    players: Players
    name: str
    arm: EvolveArm
    stream: int
    memory: StreamMemory | None
    run_id: str
    spans: list[SpanRow] = field(default_factory=list)

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
        ranking = None if self.memory is None else await self.memory.rank(task)
        items = ShownItems() if ranking is None else shown_of(ranking)
        if ranking is not None:
            retrieved = f"{len(items.ids)} items" if ranking.abstention is None else ranking.abstention.words
            self._note(position, "retrieve", retrieved)
        tried = await try_task(self.players, self.arm, task, items)
        chosen = tried.chosen
        self._note(position, "play", f"{len(tried.rollouts)} tries, {tried.calls} calls")
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
            shown=items.ids,
            cited=chosen.cited,
        )
        if self.memory is None or ranking is None:
            return row
        if chosen.label:
            await self.memory.settle(ranking, task, chosen.cited, chosen.label == "success")
            self._note(position, "use", f"{len(chosen.cited)} of {len(items.ids)} cited")
        runs = [self._labelled(rollout, items.texts) for rollout in tried.rollouts if rollout.label]
        if not runs or (self.arm.mode == "sequential" and not chosen.label):
            return row
        return await self._learn(self.memory, task, row, runs)

    async def _learn(
        self, memory: StreamMemory, task: Task, row: TaskRow, runs: Sequence[LabelledRun]
    ) -> TaskRow:
        """Have what the tries teach distilled and kept."""
        meter = memory.caller.meter
        before = meter.calls, meter.usd
        taught = await memory.teach(self.arm, runs, task)
        spent = None if meter.usd is None or before[1] is None else meter.usd - before[1]
        made = taught.distillation
        self._note(row.position, "distil", f"{len(made.items)} items in {made.calls} calls")
        self._note(row.position, "keep", ", ".join(taught.item_ids) or "nothing")
        return replace(
            row,
            writer_calls=meter.calls - before[0],
            usd=_total([row.usd, spent]),
            new_items=taught.item_ids,
            unread=(*made.dropped, *filter(None, [made.fault])),
        )

    def _labelled(self, rollout: Rollout, texts: Sequence[str]) -> LabelledRun:
        """As memory sees it: with the judge's outcome, and without what its thoughts repeat of memory."""
        judge = self.players.judge or "world"
        run = without_memory(rollout.judged, Slot("", tuple(texts)))
        truth_seen = bool(self.memory is not None and self.memory.truths.get(run.task_id))
        return LabelledRun(run, judge, rollout.sure, self.run_id, truth_seen=truth_seen)

    def _note(self, position: int, span: Span, what: str) -> None:
        self.spans.append(SpanRow(self.stream, self.name, position, span, what))


def _total(amounts: Sequence[float | None]) -> float | None:
    return None if any(amount is None for amount in amounts) else sum(filter(None, amounts))
