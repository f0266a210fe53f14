"""The damage of a block, done once for all backbones with the same memories, and kept in few bytes."""

import pickle
from dataclasses import dataclass, field, replace

from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.trials.slot_damage import Place
from memtrial.runs.trials.trials import Damages, TrialLayout


@dataclass
class BlockDamage:
    """What was done to the slots of each task and repeat, packed: a block that is played is not damaged
    again."""

    layout: TrialLayout
    _kept: dict[tuple[int, int, int], bytes] = field(default_factory=dict)

    def find(self, place: Place, slots: ArmSlots) -> Damages:
        """The damage of this block's slots, as it was done first.

        Args:
            slots: the same object for backbones with the same memories, which lives as long as this.
        """
        import zstandard

        key = (id(slots), place.index, place.repeat)
        if (packed := self._kept.get(key)) is None:
            done = self.layout.damage(place, slots)
            self.layout.damager.trim()
            self._kept[key] = zstandard.compress(pickle.dumps(done, pickle.HIGHEST_PROTOCOL))
            return done
        kept: Damages = pickle.loads(zstandard.decompress(packed))
        return tuple((slot, replace(check, backbone=place.backbone)) for slot, check in kept)
