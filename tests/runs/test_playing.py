"""A named fault becomes a row and the run goes on; a bug rises."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from memtrial.agents.episode import AgentFault
from memtrial.agents.react import ReAct
from memtrial.arms.arm import ORACLE
from memtrial.faults import RunFault
from memtrial.ledger.rows import Boundary, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.structured import ReplyFault
from memtrial.models.client.types import ModelFault, ProviderFault, Request
from memtrial.models.providers.open import open_backend
from memtrial.prompts.templates import cue_line
from memtrial.protocols import World
from memtrial.runs.engine.blocks import BlockPlayer
from memtrial.runs.engine.grades import GradeFault
from memtrial.runs.engine.trial_faults import TrialFault, attribute_fault
from memtrial.runs.preparation.arm_slots import ArmSlots, Memories, fill_slots
from memtrial.runs.preparation.world_memories import state_memories
from memtrial.runs.setup.design import design_of
from memtrial.runs.setup.world_pool import ATTEMPTS
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.planned.block_order import BlockPlaces
from memtrial.runs.trials.planned.planned_blocks import PlanDraft, PlannedBlocks
from memtrial.runs.trials.slot_damage import Damager
from memtrial.runs.trials.trials import TrialLayout, n_to_damage
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Outcome, Split, State, Task, Truth, WorldFault
from tests.support.scripted import Scripted
from tests.support.small import write_spec

SETTINGS = ["arms=[oracle]", "conditions=[filler]", "backbone=simulated/ignorer", "repeats=1"]


def plan_blocks(
    spec: Spec, world: World, slots: dict[str, tuple[ArmSlots, ...]], tick: Callable[[int], None]
) -> PlannedBlocks:
    layout = TrialLayout(spec, design_of(spec), world, Damager(spec), ReAct().digests)
    draft = PlanDraft.begin(layout, slots, BlockPlaces(spec.backbone, world.tasks("test"), spec.repeats))
    list(draft.lay_each(tick))
    return draft.finish({})


class Brittle:
    """A workshop in which the episodes whose number `breaks` holds break at their first step, from 1."""

    name, rules, blocking = "workshop", "r", False

    def __init__(self, inner: Workshop, fault: Exception, breaks: Callable[[int], bool]) -> None:
        self.inner, self.fault, self.episodes, self.closed = inner, fault, 0, 0
        self.breaks = breaks
        self.digest = inner.digest

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return self.inner.tasks(split)

    def step_limit(self, task: Task) -> int:
        return self.inner.step_limit(task)

    def reset(self, task: Task) -> State:
        self.episodes += 1
        return self.inner.reset(task)

    def step(self, action: str) -> State:
        if self.breaks(self.episodes):
            raise self.fault
        return self.inner.step(action)

    def outcome(self) -> Outcome:
        return self.inner.outcome()

    def ground_truth(self, task: Task) -> Truth:
        return self.inner.ground_truth(task)

    def close(self) -> None:
        self.closed += 1


def blocks_of(tmp_path: Path, world: Workshop) -> tuple[PlannedBlocks, object]:
    spec = load_spec(write_spec(tmp_path), SETTINGS)
    tasks = world.tasks("test")
    stated = state_memories(world, tasks, frozenset({ORACLE}), cue_line(), spec.seed)
    arm_slots = dict.fromkeys(spec.backbone, (asyncio.run(fill_slots(spec, tasks, Memories({}, stated))),))
    return plan_blocks(spec, world, arm_slots, lambda _: None), spec


def test_damage_that_backbones_share_is_counted_once(tmp_path: Path) -> None:
    world, more = Workshop(3, 24, 8), ("repeats=2", "backbone=[simulated/ignorer, simulated/reader]")
    spec = load_spec(write_spec(tmp_path), [*SETTINGS, *more])
    tasks = world.tasks("test")
    stated = state_memories(world, tasks, frozenset({ORACLE}), cue_line(), spec.seed)
    slots = asyncio.run(fill_slots(spec, tasks, Memories({}, stated)))
    other = replace(slots, digests={name: f"{digest} of another" for name, digest in slots.digests.items()})
    for second, times in ((slots, 1), (other, 2)):
        steps: list[int] = []
        arm_slots = dict(zip(spec.backbone, ((slots,), (second,)), strict=True))
        blocks = plan_blocks(spec, world, arm_slots, steps.append)
        assert sum(steps) == n_to_damage(spec, len(tasks), arm_slots) == len(tasks) * 2 * times
        assert len(blocks) == len(tasks) * 2 * 2


def played(tmp_path: Path, world: object, opener: object = open_backend) -> list[TrialRow]:
    blocks, spec = blocks_of(tmp_path, Workshop(3, 24, 8))
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    model_client = ModelClient(CallCache(ledger.calls), opener)  # type: ignore[arg-type]
    seen: list[tuple[int, int]] = []
    opened = world if callable(world) else lambda: world

    def tick(steps: int, errors: int) -> None:
        seen.append((steps, errors))

    player = BlockPlayer(spec, opened, model_client, ledger, tick)  # type: ignore[arg-type]
    asyncio.run(player.play(blocks, frozenset()))
    rows = list(ledger.trials())
    assert sum(steps for steps, _ in seen) == len(rows)
    assert sum(errors for _, errors in seen) == sum(row.status == "error" for row in rows)
    return rows


def test_a_broken_world_is_an_error_row_and_the_run_goes_on(tmp_path: Path) -> None:
    world = Brittle(Workshop(3, 24, 8), WorldFault("the JVM is gone"), lambda n: n % 4 in (2, 3, 0))
    rows = played(tmp_path, world)
    assert len(rows) == 8 * 3
    broken = [row for row in rows if row.status == "error"]
    # every other trial broke, each time it was tried
    assert len(broken) == 12
    assert world.episodes == 12 * (1 + ATTEMPTS)
    assert all(row.score is None and "the JVM is gone" in row.cause for row in broken)
    assert {(row.boundary, row.fault) for row in broken} == {("world", "WorldFault")}
    assert {row.boundary for row in rows if row.status != "error"} == {None}
    assert world.closed == 1


def test_a_world_that_broke_once_is_set_up_anew_and_the_trial_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    gone = WorldFault("the JVM is gone")
    whole = played(tmp_path / "one", Brittle(Workshop(3, 24, 8), gone, lambda n: False))
    world = Brittle(Workshop(3, 24, 8), gone, lambda n: n % 3 == 0)
    assert [replace(row, cached=0) for row in played(tmp_path / "other", world)] == [
        replace(row, cached=0) for row in whole
    ]
    assert world.episodes > len(whole)


def test_a_world_that_cannot_be_opened_stops_the_run_in_one_line(tmp_path: Path) -> None:
    def closed() -> World:
        raise WorldFault("no java")

    with pytest.raises(RunFault, match="no java"):
        played(tmp_path, closed)


def test_a_model_that_cannot_be_had_is_an_error_row_too(tmp_path: Path) -> None:
    def refuse(request: Request, repeat: int) -> str:
        raise ModelFault("429")

    rows = played(tmp_path, Workshop(3, 24, 8), lambda _: Scripted(refuse))
    assert {row.status for row in rows} == {"error"}
    assert {(row.boundary, row.fault, row.cause) for row in rows} == {
        ("provider", "ModelFault", "ModelFault: 429")
    }


@pytest.mark.parametrize(
    ("fault", "boundary", "kind", "cause"),
    [
        (WorldFault("gone"), "world", "WorldFault", "WorldFault: gone"),
        (ProviderFault("slow down", "rate limit", True), "provider", "rate limit",
         "ProviderFault (rate limit): slow down"),
        (ReplyFault("no fields"), "provider", "ModelFault", "ModelFault: no fields"),
        (AgentFault("asked on"), "agent", "AgentFault", "AgentFault: asked on"),
        (MemoryFault("no item"), "memory", "MemoryFault", "MemoryFault: no item"),
        (GradeFault("unread"), "harness", "GradeFault", "GradeFault: unread"),
    ],
)  # fmt: skip
def test_a_fault_that_loses_a_trial_belongs_to_one_boundary(tmp_path, fault, boundary, kind, cause) -> None:
    assert attribute_fault(fault) == TrialFault(boundary, kind, cause)
    assert boundary in get_args(Boundary)
    rows = played(tmp_path, Brittle(Workshop(3, 24, 8), fault, lambda _: True))
    assert {(row.boundary, row.fault, row.cause) for row in rows} == {(boundary, kind, cause)}


def test_a_bug_rises(tmp_path: Path) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        played(tmp_path, Brittle(Workshop(3, 24, 8), ZeroDivisionError("a bug"), lambda n: n == 3))
    assert caught.group_contains(ZeroDivisionError)


def test_the_agents_own_failures_are_never_errors(tmp_path: Path) -> None:
    rows = played(tmp_path, Workshop(3, 24, 8), lambda _: Scripted(lambda *_: "I would rather not."))
    assert {row.status for row in rows} == {"failure"}
    assert {row.cause for row in rows} == {"broken format"}
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    said = [ledger.episode(row.key) for row in rows]
    ledger.close()
    assert {step["fault"] for one in said if one is not None for step in one.steps} == {"format"}
    assert all(one is not None and one.steps for one in said)
