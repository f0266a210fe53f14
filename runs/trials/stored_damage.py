"""What memory stores gave once damage had been put into them: it is shown in the place of what was put in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memtrial.agents.slot import Slot
from memtrial.outcomes.count_words import how_many
from memtrial.runs.preparation.store_reading import DamagedReading
from memtrial.worlds.world import Task

NOT_HONOURED = "the memory system gave back something else than was put into it"
OF_ANOTHER_NUMBER = (
    "it makes another number of items, so that none can be put in its place in the memory's store"
)
StoredPlace = tuple[str, str, str, tuple[str, ...]]
"""Backbone, memory, task, and the texts that were put into the store."""


@dataclass(frozen=True, slots=True)
class StoreBook:
    """What stores gave for the texts that were put into them; `arms` are named in sentences, by memory."""

    readings: Mapping[StoredPlace, DamagedReading] = field(default_factory=dict)
    arms: Mapping[str, str] = field(default_factory=dict)

    def find(self, backbone: str, memory: str, task: Task, put: Slot) -> DamagedReading | None:
        """What was read; None where these texts were put into no store."""
        return self.readings.get((backbone, memory, task.id, put.items))

    @property
    def sentences(self) -> tuple[str, ...]:
        """One for each memory, for readers of the results."""
        by_memory: dict[str, list[DamagedReading]] = {}
        for (_, memory, _, _), reading in self.readings.items():
            by_memory.setdefault(memory, []).append(reading)
        return tuple(_say(self.arms[memory], readings) for memory, readings in by_memory.items())


NO_STORE = StoreBook()


def strip_reading(reading: DamagedReading, intact: Slot, source: Slot) -> tuple[str, ...]:
    """The texts that a store gave, without what it writes around a text that it holds: what is checked.

    Args:
        intact: what is shown without damage, whose items the store composed.
        source: the same as the store holds it, to which the damage was done.
    """
    if len(reading.items) != len(intact.items):
        return reading.items
    return tuple(map(_strip, reading.items, intact.items, source.items))


def _strip(given: str, intact: str, held: str) -> str:
    before, _, behind = intact.partition(held)
    framed = given.startswith(before) and given.endswith(behind) and len(given) >= len(before) + len(behind)
    return given[len(before) : len(given) - len(behind)] if framed else given


def _say(arm: str, readings: Sequence[DamagedReading]) -> str:
    strange = [reading.how for reading in readings if reading.how]
    whole = f"{arm}: damage was done in its store, and {how_many(len(readings), 'damaged slot')} read from it"
    if not strange:
        return f"{whole}; each was what had been put in."
    return (
        f"{whole}; {len(strange)} of them were not what had been put in. Shown was what it gave, where the"
        f" manipulation check held. The first: {strange[0]}."
    )
