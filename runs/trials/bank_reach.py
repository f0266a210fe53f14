"""Reach `bank`: which records of its bank may come up by Trigger in a task."""

from dataclasses import replace

from loadbearing.arms.arm import Arm
from loadbearing.environments.world import Task
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.runs.prepare.slots import ArmSlots, IntactSlot
from loadbearing.runs.setup.design import Design
from loadbearing.runs.spec.spec import Spec
from loadbearing.runs.trials.damage import Damager


def in_reach(
    spec: Spec, design: Design, tasks: tuple[Task, ...], slots: ArmSlots, damager: Damager
) -> ArmSlots:
    """The slots with those of whole banks: for each task all records but those that retrieval leaves out.

    A record to which one of the arm's kinds of damage cannot be done is in reach of no cell, so that what can
    come up is the same in all of them.
    """
    made: dict[tuple[str, tuple[str, ...]], IntactSlot] = {}
    bank: dict[tuple[str, str], IntactSlot] = {}
    for arm in (arm for arm in design.arms if arm.reach == "bank"):
        for task in tasks:
            parts = _parts(spec, design, arm, task, slots, damager)
            near = [one for one in slots.shown[arm.memory, task.id].sources if (one,) in parts]
            sources = tuple(dict.fromkeys((*near, *(source for (source,) in parts))))
            key = arm.memory, sources
            if key not in made:
                made[key] = _joined(tuple(parts.values()), sources)
            bank[arm.memory, task.id] = made[key]
    return replace(slots, bank=bank)


def _parts(
    spec: Spec, design: Design, arm: Arm, task: Task, slots: ArmSlots, damager: Damager
) -> dict[tuple[str, ...], IntactSlot]:
    """The records in reach, by their sources."""
    return {
        part.sources: part
        for number, part in slots.in_bank(arm.memory, task, spec.retrieval.leave_out)
        if all(
            damager.of_record(task, slots, arm, kind, number)[0] is not None
            for kind in design.damages[arm.name]
        )
    }


def _joined(parts: tuple[IntactSlot, ...], sources: tuple[str, ...]) -> IntactSlot:
    """Many records as one slot; an item's place in it is its identity in the log of firings."""
    items: list[str] = []
    watched = []
    for part in parts:
        watched += [replace(one, item=one.item + len(items)) for one in part.watched]
        items += part.slot.items
    slot = Slot(parts[0].slot.cue, tuple(items)) if parts else NOTHING
    return IntactSlot(slot, tuple(watched), sources, parts=parts)
