"""A perturbation of one's own that claims something: nearly no content word is left, nor the length kept."""

from memtrial.agents.slot import Slot
from memtrial.perturbations.aim import Aim
from memtrial.perturbations.damage_contract import Damaged, NotApplicable
from memtrial.perturbations.language.word_spans import nothing_to_damage, reword


class Hum:
    name, aim = "hum", Aim(content_left=(0.0, 0.1), length=None)

    def apply(self, slot, rng, context):
        if reason := nothing_to_damage(slot):
            return NotApplicable(reason)
        hummed = tuple(reword(item, lambda word: "hm") for item in slot.items)
        return Damaged(Slot(slot.cue, hummed))
