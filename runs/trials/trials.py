"""Trials and their order, fixed before the first one is played."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256

from numpy.random import Generator

from loadbearing.arms.arm import NONE, Arm
from loadbearing.arms.prepend import Prepend
from loadbearing.environments.world import Task, World
from loadbearing.episodes.react import SYSTEM, TURN, WITHHELD
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.ledger.rows import CheckRow
from loadbearing.outcomes.reserved_names import INTACT, WITHOUT
from loadbearing.runs.prepare.slots import ArmSlots, IntactSlot
from loadbearing.runs.setup.design import Design
from loadbearing.runs.spec.spec import Spec
from loadbearing.runs.trials.adherence import Told, told_of
from loadbearing.runs.trials.damage import Damager, Place

NO_MEMORY = Arm(NONE, NONE, Prepend())


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode that will be played.

    Args:
        key: sha256 of all that determines it.
        shown: the slot that is meant for the prompt.
        intact: the arm's memory before any damage; firing is decided on it.
        told: what that memory tells to do.
    """

    key: str
    backbone: str
    arm: Arm
    condition: str
    task: Task
    repeat: int
    shown: Slot
    intact: IntactSlot
    told: tuple[Told, ...] = ()

    @property
    def empty_slot(self) -> bool:
        """The arm has memory, but this task's records hold no item."""
        return self.arm.name != NONE and self.intact.slot.empty


@dataclass(frozen=True, slots=True)
class Block:
    """All trials of one backbone × task × repeat, in the order of playing."""

    backbone: str
    task: Task
    repeat: int
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Lays the trials of a block out."""

    spec: Spec
    design: Design
    world: World
    damager: Damager

    def block(self, place: Place, slots: ArmSlots) -> tuple[Block, tuple[CheckRow, ...]]:
        """One block in the order of its cells, and its manipulation checks."""
        task, checks = place.task, []
        trials = [self._trial(place, NO_MEMORY, WITHOUT, NOTHING, _no_memory(slots, task))]
        for arm in self.design.arms:
            shown = slots.of(arm, task)
            intact = _with_shadow(arm, shown, slots, task)
            told = told_of(arm, slots, task, self.damager.known)
            of_arm = [self._trial(place, arm, INTACT, shown.slot, intact)]
            for kind in self.design.damages[arm.name]:
                damaged = self.damager.damage(place, slots, arm, kind)
                checks.append(damaged.row)
                if damaged.slot is not None:
                    of_arm.append(self._trial(place, arm, kind.name, damaged.slot, intact))
            trials += [replace(trial, told=told) for trial in of_arm]
        return Block(place.backbone, task, place.repeat, tuple(trials)), tuple(checks)

    def _trial(self, place: Place, arm: Arm, condition: str, shown: Slot, intact: IntactSlot) -> Trial:
        determined_by = {
            "world": self.world.digest,
            "task": place.task.id,
            "backbone": place.backbone,
            "temperature": self.spec.temperature,
            "arm": arm.name,
            "condition": condition,
            "repeat": place.repeat,
            "injection": arm.injection.name,
            "shown": shown.digest,
            "watched": [
                [one.item, one.trigger.text, one.precondition.text if one.precondition else ""]
                for one in intact.watched
            ],
            "prompts": _prompt_digests(),
        }
        key = sha256(json.dumps(determined_by, sort_keys=True).encode()).hexdigest()
        return Trial(key, place.backbone, arm, condition, place.task, place.repeat, shown, intact)


def lay_out(
    layout: Layout,
    tasks: tuple[Task, ...],
    arm_slots: Mapping[str, tuple[ArmSlots, ...]],
    tick: Callable[[int], None],
) -> tuple[tuple[Block, ...], tuple[CheckRow, ...]]:
    """Every block in random order, its cells interleaved, and every manipulation check.

    Args:
        arm_slots: by backbone, what its arms show, once a draw of the banks: repeat r shows the r-th.
        tick: called after each block.
    """
    spec = layout.spec
    checks: list[CheckRow] = []
    blocks: list[Block] = []
    for backbone in spec.backbone:
        drawn = arm_slots[backbone]
        for index, task in enumerate(tasks):
            for repeat in range(spec.repeats):
                place = Place(backbone, task, index, repeat)
                block, found = layout.block(place, drawn[repeat % len(drawn)])
                blocks.append(block)
                checks += found
                tick(1)
    rng = generator(spec.seed, Stream.TRIALS)
    order = rng.permutation(len(blocks))
    return tuple(interleaved(blocks[position], rng) for position in order), tuple(checks)


def interleaved(block: Block, rng: Generator) -> Block:
    """The trials of a block in random order."""
    order = rng.permutation(len(block.trials))
    return replace(block, trials=tuple(block.trials[position] for position in order))


def _no_memory(slots: ArmSlots, task: Task) -> IntactSlot:
    return IntactSlot(NOTHING, slots.shadow[task.id], ())


def _with_shadow(arm: Arm, shown: IntactSlot, slots: ArmSlots, task: Task) -> IntactSlot:
    """Where nothing enters by Trigger, the theory items of the same records are watched for the log alone.

    An arm that injects by Trigger goes by its own items, even when none of them can come up.
    """
    if shown.watched or arm.injection.watches:
        return shown
    return IntactSlot(shown.slot, slots.shadow[task.id], shown.sources)


@cache
def _prompt_digests() -> list[str]:
    return [SYSTEM.digest, TURN.digest, WITHHELD.digest]
