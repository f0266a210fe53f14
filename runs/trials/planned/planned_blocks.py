"""All blocks of a run in the order of playing, each laid out when it is asked for."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np

from memtrial.ledger.rows import CheckRow
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.trials.planned.block_damage import BlockDamage, PackedDamage
from memtrial.runs.trials.planned.block_order import (
    BlockPlaces,
    Numbers,
    Orders,
    draw_cells,
    draw_order,
    in_order,
)
from memtrial.runs.trials.slot_damage import Place
from memtrial.runs.trials.trials import Block, TrialLayout, interleave, memories_of

KEY = 32
"""Bytes of a trial's key."""


@dataclass(frozen=True, slots=True)
class BlockOutline:
    """Of a block: the keys of its trials, one after the other, in the order of cells; and how many trials
    each arm has."""

    keys: bytes
    planned: Mapping[str, int]


@dataclass(frozen=True)
class BlockSource:
    """What a block is laid out from by its number.

    Args:
        slots: by backbone, what its arms show, once a draw of the banks; backbones that show the same share
            them.
    """

    layout: TrialLayout
    places: BlockPlaces
    slots: Mapping[str, tuple[ArmSlots, ...]]
    damage: BlockDamage

    def find(self, number: int) -> tuple[Place, ArmSlots]:
        """Where a block stands in the run, and what its arms show there: repeat r the r-th draw."""
        place = self.places.place_of(number)
        drawn = self.slots[place.backbone]
        return place, drawn[place.repeat % len(drawn)]

    def lay(self, number: int) -> Block:
        """A block in the order of its cells."""
        place, slots = self.find(number)
        return self.layout.lay(place, slots, self.damage.slots_of(place, slots))

    def outline(self, number: int) -> BlockOutline:
        """What the plan keeps of a block, which is laid out for that."""
        trials = self.lay(number).trials
        keys = bytes.fromhex("".join(trial.key for trial in trials))
        return BlockOutline(keys, dict(Counter(trial.arm.name for trial in trials)))

    def pack(self, number: int) -> PackedDamage:
        """The damage of a block."""
        return self.damage.pack(*self.find(number))

    def keep(self, number: int, packed: PackedDamage) -> None:
        """Take the damage of a block as another process did it."""
        self.damage.keep(*self.find(number), packed)

    def checks_of(self, number: int) -> tuple[CheckRow, ...]:
        """The manipulation checks of a block."""
        return self.damage.checks_of(*self.find(number))

    def damage_of(self, number: int) -> tuple[int, int, int]:
        """Which damage a block shows: blocks with the same share it."""
        place, slots = self.find(number)
        return id(slots), place.index, place.repeat


@dataclass(frozen=True)
class LaidSizes:
    """Of all blocks, by their numbers: where the trials of each end, their order in playing, and their keys
    one after the other; no keys where another worker laid the blocks out."""

    ends: Numbers
    cells: Orders
    keys: bytes | None

    def trials_of(self, number: int) -> tuple[int, int]:
        """The first trial of a block, and the one after its last."""
        return (int(self.ends[number - 1]) if number else 0), int(self.ends[number])


@dataclass(frozen=True)
class PlannedBlocks(Sequence[Block]):
    """Blocks of a run, those with these numbers, in the order of playing; a part of them is one as well."""

    source: BlockSource
    sizes: LaidSizes
    numbers: Numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, position: int) -> Block: ...
    @overload
    def __getitem__(self, position: slice) -> "PlannedBlocks": ...
    def __getitem__(self, position: int | slice) -> "Block | PlannedBlocks":
        if isinstance(position, slice):
            return replace(self, numbers=self.numbers[position])
        return interleave(self.source.lay(int(self.numbers[position])), self.order_at(position))

    def order_at(self, position: int) -> tuple[int, ...]:
        """The order in which the trials of a block are played, by their cells."""
        first, end = self.sizes.trials_of(int(self.numbers[position]))
        return tuple(self.sizes.cells[first:end].tolist())

    def place_at(self, position: int) -> Place:
        """Where a block stands in the run."""
        return self.source.places.place_of(int(self.numbers[position]))

    def damage_at(self, position: int) -> PackedDamage:
        """The damage of a block."""
        return self.source.pack(int(self.numbers[position]))

    def keys_at(self, position: int) -> tuple[str, ...]:
        """The keys of a block's trials, in the order of playing."""
        if self.sizes.keys is None:
            return self[position].keys
        first, end = self.sizes.trials_of(int(self.numbers[position]))
        of_block = self.sizes.keys[KEY * first : KEY * end]
        return tuple(of_block[KEY * cell : KEY * (cell + 1)].hex() for cell in self.order_at(position))

    @property
    def places(self) -> Iterator[Place]:
        """Where each of them stands in the run."""
        return map(self.source.places.place_of, self.numbers.tolist())

    @property
    def n_trials(self) -> Iterator[int]:
        """How many trials each has."""
        for number in self.numbers.tolist():
            first, end = self.sizes.trials_of(number)
            yield end - first

    @property
    def keys(self) -> Iterator[tuple[str, ...]]:
        """The keys of the trials of each, in the order of playing."""
        return map(self.keys_at, range(len(self)))

    def choose(self, wanted: Iterable[bool]) -> "PlannedBlocks":
        """Those that are wanted."""
        return replace(self, numbers=self.numbers[np.fromiter(wanted, dtype=bool, count=len(self))])


@dataclass
class PlanDraft:
    """The plan of the blocks while it is made: each is laid out, and few bytes of it are kept.

    Args:
        outlines: of blocks that were laid out elsewhere, by their numbers.
    """

    source: BlockSource
    planned: Counter[str] = field(default_factory=Counter)
    outlines: dict[int, BlockOutline] = field(default_factory=dict)
    _sizes: "array[int]" = field(default_factory=lambda: array("H"))
    _keys: bytearray = field(default_factory=bytearray)
    _damaged: set[tuple[object, ...]] = field(default_factory=set)

    @classmethod
    def begin(
        cls, layout: TrialLayout, slots: Mapping[str, tuple[ArmSlots, ...]], places: BlockPlaces
    ) -> "PlanDraft":
        """Nothing is laid out yet."""
        return cls(BlockSource(layout, places, share_equal(slots), BlockDamage(layout)))

    def lay_each(self, tick: Callable[[int], None]) -> Iterator[tuple[CheckRow, ...]]:
        """Lay all blocks out; the checks of each. `tick` counts the blocks of `n_to_damage`."""
        for number in range(len(self.source.places)):
            yield self.lay(number, tick)

    def lay(self, number: int, tick: Callable[[int], None]) -> tuple[CheckRow, ...]:
        """Lay the next block out, or take it as it was laid out elsewhere; its checks."""
        outline = self.outlines.pop(number, None) or self.source.outline(number)
        self._sizes.append(len(outline.keys) // KEY)
        self._keys += outline.keys
        self.planned.update(outline.planned)
        place, slots = self.source.find(number)
        # another backbone with the same memories is shown the damage that was done
        work = (*memories_of(slots), place.index, place.repeat)
        if work not in self._damaged:
            self._damaged.add(work)
            tick(1)
        return self.source.checks_of(number)

    def finish(self, clusters: Mapping[str, str]) -> PlannedBlocks:
        """All blocks, once all are laid out and their checks were taken."""
        self.source.damage.drop_checks()
        return order_blocks(self.source, self._sizes, bytes(self._keys), clusters)


def order_blocks(
    source: BlockSource, sizes: Sequence[int], keys: bytes | None, clusters: Mapping[str, str]
) -> PlannedBlocks:
    """All blocks of a run, in the order of playing.

    Args:
        sizes: trials of each block, by its number.
        keys: of all trials, in the order in which they are laid out; None where they were laid out elsewhere.
        clusters: of tasks, which stay together where there are looks.
    """
    spec = source.layout.spec
    order, rng = draw_order(spec.seed, len(source.places))
    laid = LaidSizes(np.cumsum(np.asarray(sizes, dtype=np.int64)), draw_cells(order, sizes, rng), keys)
    return PlannedBlocks(source, laid, in_order(spec, order, source.places, clusters))


def share_equal(slots: Mapping[str, tuple[ArmSlots, ...]]) -> dict[str, tuple[ArmSlots, ...]]:
    """The same by backbone, where those that show the same share one object."""
    shared: dict[str, tuple[ArmSlots, ...]] = {}
    for backbone, drawn in slots.items():
        shared[backbone] = next((other for other in shared.values() if other == drawn), drawn)
    return shared
