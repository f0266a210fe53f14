"""The plan keeps numbers of its blocks: each is laid out when it is asked for, as all at once would be."""

import asyncio
import gc
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import pytest

from memtrial.agents.react import ReAct
from memtrial.agents.slot import Slot
from memtrial.arms.arm import ORACLE, Arm
from memtrial.faults import RunFault
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import CheckRow
from memtrial.prompts.templates import cue_line
from memtrial.protocols import Perturbation
from memtrial.runs.engine.leased_blocks import list_offers, take_laid
from memtrial.runs.preparation.arm_slots import ArmSlots, Memories, fill_slots
from memtrial.runs.preparation.world_memories import state_memories
from memtrial.runs.setup.design import design_of
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.planned.block_order import BlockPlaces, in_order
from memtrial.runs.trials.planned.left_blocks import LeftBlocks
from memtrial.runs.trials.planned.planned_blocks import PlanDraft, PlannedBlocks
from memtrial.runs.trials.slot_damage import Damager, Place
from memtrial.runs.trials.trials import Block, TrialLayout
from memtrial.worlds.workshop.world import Workshop
from tests.support.small import write_spec

SETTINGS = ("arms=[oracle]", "conditions=[filler,corrupt_mask]", "repeats=3")
FEW_BYTES = 200


@dataclass
class CountingDamager(Damager):
    """Notes what it is asked for."""

    asked: Counter[tuple[str, str, int]] = field(default_factory=Counter)

    def damage(
        self, place: Place, slots: ArmSlots, arm: Arm, kind: Perturbation
    ) -> tuple[Slot | None, CheckRow]:
        self.asked[kind.name, place.task.id, place.repeat] += 1
        return super().damage(place, slots, arm, kind)


@dataclass
class Planned:
    """A run of a workshop whose blocks were laid out; both backbones have the same memory."""

    spec: Spec
    slots: ArmSlots
    layout: TrialLayout
    damager: CountingDamager
    draft: PlanDraft
    blocks: PlannedBlocks
    checks: list[CheckRow]


def plan(folder: Path, *more: str, n_tasks: int = 6) -> Planned:
    spec, world = load_spec(write_spec(folder), [*SETTINGS, *more]), Workshop(3, 24, n_tasks)
    tasks = world.tasks("test")
    stated = state_memories(world, tasks, frozenset({ORACLE}), cue_line(), spec.seed)
    # each backbone has its own, as a preparation makes it
    drawn = {name: (asyncio.run(fill_slots(spec, tasks, Memories({}, stated))),) for name in spec.backbone}
    damager = CountingDamager(spec)
    layout = TrialLayout(spec, design_of(spec), world, damager, ReAct().digests)
    draft = PlanDraft.begin(layout, drawn, BlockPlaces(spec.backbone, tasks, spec.repeats))
    checks = [check for of_block in draft.lay_each(lambda _: None) for check in of_block]
    return Planned(spec, drawn[spec.backbone[0]][0], layout, damager, draft, draft.finish({}), checks)


def lay_all(planned: Planned) -> list[Block]:
    """Every block at once, in random order with its trials in random order, as the plan is defined."""
    spec, tasks = planned.spec, planned.draft.source.places.tasks
    layout = replace(planned.layout, damager=Damager(spec))
    laid = [
        layout.block(Place(backbone, task, index, repeat), planned.slots)[0]
        for backbone in spec.backbone
        for index, task in enumerate(tasks)
        for repeat in range(spec.repeats)
    ]
    rng = generator(spec.seed, Stream.TRIALS)
    blocks = []
    for position in rng.permutation(len(laid)):
        trials = laid[position].trials
        order = rng.permutation(len(trials))
        blocks.append(replace(laid[position], trials=tuple(trials[place] for place in order)))
    return blocks


def test_each_block_is_what_all_at_once_would_be(tmp_path: Path) -> None:
    planned = plan(tmp_path)
    expected = lay_all(planned)
    assert list(planned.blocks) == expected
    assert [planned.blocks[place] for place in reversed(range(len(expected)))] == expected[::-1]
    assert list(planned.blocks.keys) == [tuple(trial.key for trial in block.trials) for block in expected]
    assert list(planned.blocks.n_trials) == [len(block.trials) for block in expected]
    assert [(place.backbone, place.task, place.repeat) for place in planned.blocks.places] == [
        (block.backbone, block.task, block.repeat) for block in expected
    ]
    assert planned.draft.planned == Counter(trial.arm.name for block in expected for trial in block.trials)
    assert list(planned.blocks[5:9]) == expected[5:9]
    assert list(planned.blocks[1::4].keys) == list(planned.blocks.keys)[1::4]
    of_one = planned.blocks.choose(place.repeat == 1 for place in planned.blocks.places)
    assert list(of_one) == [block for block in expected if block.repeat == 1]


def test_slots_are_damaged_once_for_all_backbones_and_each_has_its_checks(tmp_path: Path) -> None:
    planned = plan(tmp_path)
    list(planned.blocks)
    assert set(planned.damager.asked.values()) == {1}
    assert len(planned.damager.asked) == 2 * 6 * 3
    first, second = (
        [replace(check, backbone="") for check in planned.checks if check.backbone == name]
        for name in planned.spec.backbone
    )
    assert first == second
    assert {check.condition for check in first} == {"filler", "corrupt_mask"}


def test_with_looks_the_tasks_of_a_cluster_stay_together(tmp_path: Path) -> None:
    planned = plan(tmp_path)
    spec, places = planned.spec, planned.draft.source.places
    names = [task.id for task in places.tasks]
    clusters = dict.fromkeys(names[::2], "a") | dict.fromkeys(names[1:4:2], "b")
    looks = spec.model_copy(update={"analysis": spec.analysis.model_copy(update={"looks": 2})})
    drawn = planned.blocks.numbers
    assert in_order(spec, drawn, places, clusters) is drawn
    numbers = in_order(looks, drawn, places, clusters).tolist()
    assert sorted(numbers) == sorted(drawn.tolist())
    played = [names[places.index_of(number)] for number in numbers]
    assert [name for name, _ in groupby(played)] == list(dict.fromkeys(played))
    assert len([cluster for cluster, _ in groupby(clusters.get(name, name) for name in played)]) == 3
    # of one task the blocks stay as they were drawn
    of_one = [number for number in drawn.tolist() if places.index_of(number) == 2]
    assert [number for number in numbers if places.index_of(number) == 2] == of_one


def test_a_worker_lays_out_by_what_another_one_counted_and_damages_only_what_it_plays(
    tmp_path: Path,
) -> None:
    first, second = plan(tmp_path), plan(tmp_path)
    offers = list_offers(first.blocks, frozenset())
    fresh = CountingDamager(second.spec)
    layout = replace(second.layout, damager=fresh)
    begun = PlanDraft.begin(layout, second.draft.source.slots, second.draft.source.places)
    blocks = take_laid(begun.source, offers, {})
    assert not fresh.asked
    assert blocks[7] == first.blocks[7]
    assert {(task, repeat) for _, task, repeat in fresh.asked} == {(blocks[7].task.id, blocks[7].repeat)}
    assert list(blocks.keys) == list(first.blocks.keys)
    with pytest.raises(RunFault, match="laid out otherwise"):
        take_laid(begun.source, [offers[1], offers[0], *offers[2:]], {})


def test_what_is_left_is_laid_out_in_turn(tmp_path: Path) -> None:
    planned = plan(tmp_path)
    blocks = list(planned.blocks)
    over = frozenset(trial.key for trial in (*blocks[0].trials, *blocks[1].trials[:2], *blocks[3].trials))
    left = LeftBlocks(planned.blocks, over)
    assert left.first()[0] == left.first()[0] == blocks[1]
    assert left.count(3) == 3
    taken = []
    while left:
        taken.append(left.popleft())
    assert [block for block, _ in taken] == [blocks[1], blocks[2], *blocks[4:]]
    trials = [[trial for group in groups for trial in group] for _, groups in taken]
    assert len(trials[0]) == len(blocks[1].trials) - 2
    assert left.lay(0) is None
    with pytest.raises(IndexError):
        left.popleft()


def test_a_trial_takes_few_bytes_of_the_plan(tmp_path: Path) -> None:
    few, many = (plan(tmp_path, n_tasks=n) for n in (6, 30))
    n_trials = sum(many.blocks.n_trials) - sum(few.blocks.n_trials)
    assert n_trials == 24 * 2 * 3 * 4
    sizes = [
        measure(each.blocks.sizes, each.draft.source.damage._kept) + each.blocks.numbers.nbytes
        for each in (few, many)
    ]
    assert (sizes[1] - sizes[0]) / n_trials < FEW_BYTES


def measure(*roots: object) -> int:
    """Bytes of these objects and all that they hold."""
    waiting, seen, size = list(roots), set[int](), 0
    while waiting:
        held = waiting.pop()
        if id(held) not in seen and not isinstance(held, type):
            seen.add(id(held))
            size += sys.getsizeof(held)
            waiting.extend(gc.get_referents(held))
    return size
