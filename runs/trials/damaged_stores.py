"""Damage inside the stores of memory systems that compose what they show: drawn, put in, read, put back.

What a store gave is kept in the ledger, so that a run that goes on shows the same.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from memtrial.arms.arm import Arm
from memtrial.faults import RunFault
from memtrial.ledger.row_text import text_of
from memtrial.plugins.own_memory import OwnStore
from memtrial.runs.preparation.backbone_memories import OpenedMemory, Prepared
from memtrial.runs.preparation.store_reading import DamagedReading, find_held, read_damaged
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.world_pool import begun
from memtrial.runs.trials.slot_damage import Damager, Place
from memtrial.runs.trials.stored_damage import StoreBook, StoredPlace
from memtrial.worlds.world import Task

IN_STORE = " · in store"
"""Behind an arm's name, where the ledger holds what its store gave once it was damaged."""
Wanted = tuple[Task, tuple[str, ...], tuple[str, ...]]
"""A task, the texts that the store holds of its items, and those that are to stand in their places."""


async def damage_stores(
    run: RunContext, tasks: tuple[Task, ...], prepared: Mapping[str, Prepared], damager: Damager
) -> StoreBook:
    """What every store gave for all damage of the run.

    Args:
        damager: draws the texts that are put in.

    Raises:
        RunFault: a store cannot be put back, or holds other items than it did in an earlier session.
    """
    readings: dict[StoredPlace, DamagedReading] = {}
    names: dict[str, str] = {}
    for backbone, made in prepared.items():
        for memory, opened in made.systems.items():
            arms = [arm for arm in run.design.arms if arm.memory == memory]
            wanted = dict.fromkeys(
                entry for arm in arms for entry in _draw(run, tasks, backbone, arm, made, damager)
            )
            if wanted:
                names[memory] = arms[0].name
                store = DamagedStore(run, backbone, arms[0], opened)
                with run.display.phase(f"damage in {arms[0].name}, {backbone}", len(wanted)) as tick:
                    readings |= await store.read_all(wanted, tick)
    return StoreBook(readings, names)


def _draw(
    run: RunContext, tasks: tuple[Task, ...], backbone: str, arm: Arm, made: Prepared, damager: Damager
) -> Iterable[Wanted]:
    """What is to be put into the store of an arm; nothing where its damage is done in the text."""
    for index, task in enumerate(tasks):
        for repeat in range(run.spec.repeats):
            slots = made.drawn[repeat % len(made.drawn)]
            held = slots.of(arm, task).held
            for kind in run.design.damages[arm.name] if held else ():
                slot, _ = damager.damage(Place(backbone, task, index, repeat), slots, arm, kind)
                if slot is not None and len(slot.items) == len(held):
                    yield task, held, slot.items


@dataclass(frozen=True, slots=True)
class DamagedStore:
    """The store of one arm's memory, and where the ledger keeps what it gives."""

    run: RunContext
    backbone: str
    arm: Arm
    opened: OpenedMemory

    async def read_all(
        self, wanted: Iterable[Wanted], tick: Callable[[], None]
    ) -> dict[StoredPlace, DamagedReading]:
        """What it gives for each; from the ledger where it was read before."""
        ledger, name = self.run.ledger, f"{self.arm.name}{IN_STORE}"
        kept = ledger.recollections(self.backbone, name)
        made: dict[StoredPlace, DamagedReading] = {}
        for task, held, texts in wanted:
            key = f"{task.id} {sha256(text_of(list(texts)).encode('utf-8', 'surrogatepass')).hexdigest()}"
            if key not in kept:
                reading = await self._read(task, held, texts)
                kept[key] = {"items": list(reading.items), "how": reading.how}
                self.run.model_client.cache.flush()
                ledger.add_recollection(self.backbone, name, key, kept[key])
            reading = DamagedReading(tuple(kept[key]["items"]), kept[key]["how"])
            made[self.backbone, self.arm.memory, task.id, texts] = reading
            tick()
        return made

    async def _read(self, task: Task, held: tuple[str, ...], texts: tuple[str, ...]) -> DamagedReading:
        store = self.opened.memory
        assert isinstance(store, OwnStore)  # no other holds items
        await self.opened.fill()
        state = await begun(self.run.world, task)
        # it may have been filled anew, in another session
        if await find_held(store, task, state) != held:
            raise RunFault(
                f"{store.own.source}, task {task.id}, holds other items than when it was first asked:"
                " its writer does not repeat itself; --clean begins anew"
            )
        return await read_damaged(store, task, state, texts)
