"""The damage of a block, done once for all backbones with the same memories, and kept in few bytes."""

import pickle
from dataclasses import dataclass, field, replace
from typing import Any

from memtrial.agents.slot import Slot
from memtrial.ledger.rows import CheckRow
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.trials.slot_damage import Place
from memtrial.runs.trials.trials import TrialLayout

DamagedSlots = tuple[Slot | None, ...]
"""By arm and kind; None where a kind does not apply."""


@dataclass(frozen=True, slots=True)
class PackedDamage:
    """The damaged slots of a block, and their checks; each by itself, for a block is played without these."""

    slots: bytes
    checks: bytes = b""

    @classmethod
    def of(cls, slots: DamagedSlots, checks: tuple[CheckRow, ...]) -> "PackedDamage":
        """Both of them, packed."""
        return cls(_pack(slots), _pack(checks))


@dataclass
class BlockDamage:
    """What was done to the slots of each task and repeat, packed: a block that is played is not damaged
    again.

    Backbones with the same memories share it: their slots are the same object, which lives as long as this.
    """

    layout: TrialLayout
    _kept: dict[tuple[int, int, int], PackedDamage] = field(default_factory=dict)

    def pack(self, place: Place, slots: ArmSlots) -> PackedDamage:
        """The damage of this block's slots, which is done now if it was not before."""
        key = (id(slots), place.index, place.repeat)
        if key not in self._kept:
            done = self.layout.damage(place, slots)
            self.layout.damager.trim()
            damaged, checks = tuple(slot for slot, _ in done), tuple(check for _, check in done)
            self._kept[key] = PackedDamage.of(damaged, checks)
        return self._kept[key]

    def keep(self, place: Place, slots: ArmSlots, packed: PackedDamage) -> None:
        """Take what another process did."""
        self._kept[id(slots), place.index, place.repeat] = packed

    def drop_checks(self) -> None:
        """Let go of the checks, which are written once."""
        self._kept = {key: PackedDamage(packed.slots) for key, packed in self._kept.items()}

    def forget(self) -> None:
        """Let go of all of it."""
        self._kept.clear()

    def slots_of(self, place: Place, slots: ArmSlots) -> DamagedSlots:
        """The damaged slots of this block."""
        damaged: DamagedSlots = _unpack(self.pack(place, slots).slots)
        return damaged

    def checks_of(self, place: Place, slots: ArmSlots) -> tuple[CheckRow, ...]:
        """Their checks, as those of this block's backbone."""
        checks: tuple[CheckRow, ...] = _unpack(self.pack(place, slots).checks)
        return tuple(replace(check, backbone=place.backbone) for check in checks)


def _pack(value: object) -> bytes:
    import zstandard

    return zstandard.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def _unpack(packed: bytes) -> Any:
    import zstandard

    return pickle.loads(zstandard.decompress(packed))
