"""Damage that was written beforehand, slot by slot: shown where there is one, else the rule is asked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.perturbations.composite import Composite
from memtrial.perturbations.perturbation import Aim
from memtrial.prompts.templates import Prompt
from memtrial.protocols import Perturbation

Claim = Literal["changed", "exchanged", "kept"]
"""What a kind claims to do to the advice: it is no longer given, another action is advised, or it stays."""
CLAIMS: Mapping[str, Claim] = {"corrupt_invert": "changed", "counter": "exchanged", "paraphrase": "kept"}
"""The kinds that a model can write."""
INSTRUCTIONS = {kind: Prompt(f"perturb_{kind}") for kind in CLAIMS}
Items = tuple[str, ...]
Texts = Mapping[tuple[str, str], Items]
"""By kind and `items_digest` of the intact slot."""


def items_digest(slot: Slot) -> str:
    """Sha256 of the items without the cue line: an instruction in that line changes no item."""
    return sha256(json.dumps(slot.items).encode()).hexdigest()


@dataclass(frozen=True)
class Written:
    """A kind of which some damage was written beforehand; it draws nothing, and needs no donor."""

    rule: Perturbation
    texts: Texts

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def aim(self) -> Aim:
        return self.rule.aim

    def why_not(self, slot: Slot, donor: Slot) -> str:
        return "" if self._found(slot) else self.rule.why_not(slot, donor)

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        found = self._found(slot)
        return Slot(slot.cue, found) if found else self.rule(slot, rng, donor)

    def _found(self, slot: Slot) -> Items | None:
        return self.texts.get((self.name, items_digest(slot)))


def with_written(kind: Perturbation, texts: Texts) -> Perturbation:
    """The kind, or the second part of it, with what was written for it."""
    if isinstance(kind, Composite):
        return replace(kind, second=with_written(kind.second, texts))
    return Written(kind, texts) if kind.name in CLAIMS else kind
