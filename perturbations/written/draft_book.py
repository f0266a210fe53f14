"""What a model wrote of many slots: the texts that are shown, and what became of the others."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from memtrial.agents.slot import Slot
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.damage_contract import Damaged, Texts, items_digest
from memtrial.perturbations.manipulation_check import ManipulationCheck, check_damage
from memtrial.perturbations.written.claims import NO_RULES
from memtrial.perturbations.written.vouched_check import check_vouched
from memtrial.perturbations.written.written_slot import WrittenSlot
from memtrial.protocols import Perturbation

RULES = "rules"
"""Who writes damage where no model does."""
Key = tuple[str, str]
"""A kind, and the digest of the intact items."""


@dataclass(frozen=True)
class DraftBook:
    """What came of each kind and intact slot.

    Args:
        model, judge: that wrote, and that read.
    """

    model: str = RULES
    judge: str = ""
    slots: Mapping[Key, WrittenSlot] = field(default_factory=dict)

    @cached_property
    def texts(self) -> Texts:
        """The texts that were accepted."""
        return {key: done.items for key, done in self.slots.items() if done.items}

    @cached_property
    def refusals(self) -> dict[Key, str]:
        """Why a kind does not apply, where all drafts were refused and the rules are not to write."""
        return {
            key: f"no draft of {self.model} was accepted in {done.tries}: {done.why}"
            for key, done in self.slots.items()
            if (key[0] in NO_RULES or done.by_rules) and not done.items and done.tries
        }

    @cached_property
    def n_by_model(self) -> int:
        """Number of texts of the model that were accepted."""
        return sum(bool(done.items) and not done.by_rules for done in self.slots.values())

    def source_of(self, kind: str, before: Slot) -> dict[str, str | int]:
        """Who wrote the damage of this kind that is shown for these items, for the record of its check."""
        done = self._find(kind, before)
        if done is None:
            return {"written_by": RULES}
        vouched = {"vouched_by": self.judge} if done.items else {}
        if done.items and not done.by_rules:
            return {"written_by": self.model, **vouched, "tries": done.tries}
        return {"written_by": RULES, **vouched, "tries": done.tries, "by_rules_because": done.why}

    def check(
        self, kind: Perturbation, slot: Slot, damaged: Damaged, known: Repertoire = NOTHING_KNOWN
    ) -> ManipulationCheck:
        """The manipulation check of what is shown, whoever wrote it."""
        before = damaged.before or slot
        done = self._find(kind.aim.declared.part or kind.name, before)
        if done is None or done.items != damaged.slot.items:
            return check_damage(kind, slot, damaged, known)
        return check_vouched(kind, slot, damaged, done.readings, known, by_rules=done.by_rules)

    def _find(self, kind: str, before: Slot) -> WrittenSlot | None:
        return self.slots.get((kind, items_digest(before))) if self.slots else None
