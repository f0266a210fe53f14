"""Trials and their order, fixed before the first one is played."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from numpy.random import Generator

from memtrial.agents.slot import NOTHING, Slot
from memtrial.arms.arm import NONE, PREPEND, WITHHOLD, Arm
from memtrial.arms.trigger_watch import Watched
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import CheckRow
from memtrial.memory.record_text import without_number
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.perturbations.counter import Counter
from memtrial.protocols import World
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot
from memtrial.runs.setup.design import Design
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.adherence import ToldAction, find_told_actions
from memtrial.runs.trials.advised_acts import find_other_actions
from memtrial.runs.trials.slot_damage import Damager, Place
from memtrial.worlds.world import Task, WorldFault

NO_MEMORY = Arm(NONE, NONE, PREPEND)
OWN_DRAWS = 1000
"""Above every repeat that a spec can ask for."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode that will be played; `key` is the sha256 of all that determines it.

    `shown` is the slot that is meant for the prompt, `intact` the arm's memory before any damage: firing is
    decided on it, and `told_actions` are what it tells, `other_actions` what `counter` tells in their place
    in the same block. Trials of a block with the same `prompts` would send the same requests: one of them is
    played. `path` solves the task, where the world says so at once.
    """

    key: str
    backbone: str
    arm: Arm
    condition: str
    task: Task
    repeat: int
    shown: Slot
    intact: IntactSlot
    told_actions: tuple[ToldAction, ...] = ()
    other_actions: tuple[ToldAction, ...] = ()
    prompts: str = ""
    path: tuple[str, ...] = ()

    @property
    def draw(self) -> int:
        """The number under which a model is asked. Trials of one number share the answers to equal requests;
        a withheld memory is held against `none`, whose requests are the same, by draws of its own."""
        return self.repeat + (OWN_DRAWS if self.arm.injection == WITHHOLD else 0)

    @property
    def items(self) -> dict[str, str]:
        """The items of an intact slot that is shown, by the sha256 of each text less its number."""
        texts = (without_number(item) for item in self.shown.items if self.condition == INTACT)
        return {sha256(text.encode()).hexdigest(): text for text in texts if text.strip()}

    @property
    def empty_slot(self) -> bool:
        """The arm has memory, but this task's records hold no item, or blank replies."""
        return self.arm.name != NONE and self.intact.slot.blank


@dataclass(frozen=True, slots=True)
class Block:
    """All trials of one backbone × task × repeat, in the order of playing."""

    backbone: str
    task: Task
    repeat: int
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class TrialLayout:
    """Lays the trials of a block out; `agent_digests` are those of the agent who will play them."""

    spec: Spec
    design: Design
    world: World
    damager: Damager
    agent_digests: tuple[str, ...]

    @cached_property
    def _json_of_run(self) -> dict[str, str]:
        """What determines all trials alike."""
        sampling = sampling_of(self.spec.sampling.agent, "agent")._asdict()
        of_run = {"world": self.world.digest, **sampling, "prompts": self.agent_digests}
        return {name: json.dumps(value) for name, value in of_run.items()}

    def block(self, place: Place, slots: ArmSlots) -> tuple[Block, tuple[CheckRow, ...]]:
        """One block in the order of its cells, and its manipulation checks."""
        task, checks, path = place.task, [], self._path(place.task)
        shadow = slots.shadow[task.id]
        without, watched = IntactSlot(NOTHING, shadow, ()), _watched_json(shadow)
        trials = [self._trial(place, NO_MEMORY, WITHOUT, NOTHING, without, watched)]
        for arm in self.design.arms:
            intact = slots.of(arm, task)
            shown = NOTHING if arm.injection == WITHHOLD else intact.slot
            # where nothing enters by Trigger, the theory items of the same records are watched for the log
            # alone; an arm that injects by Trigger goes by its own items, even when none of them can come up
            if not intact.watched and not arm.injection.by_trigger:
                intact = replace(intact, watched=shadow, foreign=True)
            watched = _watched_json(intact.watched)
            of_arm = [self._trial(place, arm, INTACT, shown, intact, watched)]
            for kind in self.design.damages[arm.name]:
                damaged, row = self.damager.damage(place, slots, arm, kind)
                checks.append(row)
                if damaged is not None:
                    of_arm.append(self._trial(place, arm, kind.name, damaged, intact, watched))
            known = self.damager.known
            told_actions = find_told_actions(arm, slots, task, known)
            countered = next((trial.shown for trial in of_arm if trial.condition == Counter().name), None)
            others = find_other_actions(told_actions, countered, known)
            trials += [
                replace(trial, told_actions=told_actions, other_actions=others, path=path) for trial in of_arm
            ]
        return Block(place.backbone, task, place.repeat, tuple(trials)), tuple(checks)

    def _path(self, task: Task) -> tuple[str, ...]:
        """The world's own solution; none where it would have to be waited for, or is not known."""
        if self.world.blocking:
            return ()
        try:
            return self.world.ground_truth(task).path
        except WorldFault:
            return ()

    def _trial(
        self, place: Place, arm: Arm, condition: str, shown: Slot, intact: IntactSlot, watched: str
    ) -> Trial:
        """One trial; `watched` is what is watched in it, as JSON."""
        determined_by = self._json_of_run | {
            "task": json.dumps(place.task.id),
            "backbone": json.dumps(place.backbone),
            "arm": json.dumps(arm.name),
            "condition": json.dumps(condition),
            "repeat": json.dumps(place.repeat),
            "injection": json.dumps(arm.injection.name),
            "shown": json.dumps(shown.digest),
            "watched": watched,
        }
        key, prompts = _digest(determined_by), _digest(determined_by | {"arm": '""', "condition": '""'})
        place_of = (place.backbone, arm, condition, place.task, place.repeat)
        return Trial(key, *place_of, shown, intact, prompts=prompts)


def _watched_json(watched: tuple[Watched, ...]) -> str:
    return json.dumps(
        [[each.item, each.trigger.text, each.check.text if each.check else ""] for each in watched]
    )


def _digest(determined_by: Mapping[str, str]) -> str:
    """Sha256 of a JSON object with these names and values, which are JSON already."""
    members = ", ".join(f'"{name}": {determined_by[name]}' for name in sorted(determined_by))
    return sha256(f"{{{members}}}".encode()).hexdigest()


LaidBlock = tuple[Block, tuple[CheckRow, ...]]
"""A block in the order of its cells, and the checks of its damage."""


def lay_out(
    layout: TrialLayout,
    tasks: tuple[Task, ...],
    arm_slots: Mapping[str, tuple[ArmSlots, ...]],
    tick: Callable[[int], None],
) -> tuple[tuple[Block, ...], tuple[CheckRow, ...]]:
    """Every block in random order, its cells interleaved, and every check; repeat r shows the r-th of
    `arm_slots`. `tick` counts the blocks of `n_to_damage`."""
    return shuffle(layout.spec, tuple(lay_each(layout, tasks, arm_slots, tick)))


def lay_each(
    layout: TrialLayout,
    tasks: tuple[Task, ...],
    arm_slots: Mapping[str, tuple[ArmSlots, ...]],
    tick: Callable[[int], None],
) -> Iterator[LaidBlock]:
    """The blocks of `lay_out` one by one, for `shuffle`."""
    damaged: set[tuple[object, ...]] = set()
    for backbone in layout.spec.backbone:
        drawn = arm_slots[backbone]
        for index, task in enumerate(tasks):
            for repeat in range(layout.spec.repeats):
                place, slots = Place(backbone, task, index, repeat), drawn[repeat % len(drawn)]
                yield layout.block(place, slots)
                # another backbone with the same memories is shown the damage that was done
                work = (*_memories(slots), index, repeat)
                if work not in damaged:
                    damaged.add(work)
                    tick(1)


def shuffle(spec: Spec, laid: Sequence[LaidBlock]) -> tuple[tuple[Block, ...], tuple[CheckRow, ...]]:
    """The blocks in random order, their cells interleaved, and the checks in the order in which they came."""
    rng = generator(spec.seed, Stream.TRIALS)
    order = rng.permutation(len(laid))
    blocks = tuple(interleave(laid[position][0], rng) for position in order)
    return blocks, tuple(check for _, checks in laid for check in checks)


def n_to_damage(spec: Spec, n_tasks: int, arm_slots: Mapping[str, tuple[ArmSlots, ...]]) -> int:
    """Blocks whose memories have to be damaged: those of backbones with the same memories count once."""
    drawn = {
        (*_memories(slots[repeat % len(slots)]), repeat)
        for slots in arm_slots.values()
        for repeat in range(spec.repeats)
    }
    return n_tasks * len(drawn)


def _memories(slots: ArmSlots) -> tuple[object, ...]:
    """What tells the memories of two backbones apart."""
    return tuple(sorted(slots.digests.items()))


def interleave(block: Block, rng: Generator) -> Block:
    """The trials of a block in random order."""
    order = rng.permutation(len(block.trials))
    return replace(block, trials=tuple(block.trials[position] for position in order))


def in_order(spec: Spec, blocks: tuple[Block, ...], clusters: Mapping[str, str]) -> tuple[Block, ...]:
    """The blocks as they are played.

    Without looks they stay in their random order. With looks, all blocks of a cluster of tasks come one after
    the other, clusters, and the tasks in one, in an order drawn from the seed: at a look, the tasks played
    are a random sample of whole clusters. `clusters` holds that of each task that has one.
    """
    if spec.analysis.looks < 2:
        return blocks
    tasks = sorted({block.task.id for block in blocks})
    drawn = [tasks[place] for place in generator(spec.seed, Stream.TASK_ORDER).permutation(len(tasks))]
    cluster = {task: clusters.get(task) or f"task {task}" for task in drawn}
    first: dict[str, int] = {}
    for place, task in enumerate(drawn):
        first.setdefault(cluster[task], place)
    rank = {task: (first[cluster[task]], place) for place, task in enumerate(drawn)}
    return tuple(sorted(blocks, key=lambda block: rank[block.task.id]))
