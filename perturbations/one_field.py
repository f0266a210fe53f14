"""Damage of one field alone, by role in any schema: `corrupt_mask@when`, `corrupt_invert@why`.

A Trigger, or the condition of a Content, says when; a Claim says what to do; a Mechanism or a `because` says
why; a Scope, an `unless` or a `does not apply` says where it ends. All else stands verbatim.
"""

import re
from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.memory.language.roles import Role, Run, Span, runs_of
from memtrial.memory.language.sentences import Edit, apply
from memtrial.perturbations.corrupt_invert import LEAST_LEFT, CorruptInvert, turns_of
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.perturbation import Aim

Field = Literal["when", "what", "why", "scope"]
AT = "@"
_ROLE: dict[Field, Role] = {"when": "when", "what": "what", "why": "why", "scope": "when"}
_EXCLUDES = re.compile(r"(?i)\W*+(?:unless|except)\b")
_ENDS = re.compile(r"(?i)\b(?:not|never) (?:apply|applies|hold|holds)\s*+\Z")
_CUES = "## Trigger "


@dataclass(frozen=True, slots=True)
class OneField:
    """Do the kind to the words of one field, and leave all others.

    Masks are drawn from the field alone. An inversion of one field contradicts the others, so it is not asked
    to turn the reason with the advice.
    """

    kind: CorruptMask | CorruptInvert
    field: Field

    @property
    def name(self) -> str:
        return f"{self.kind.name}{AT}{self.field}"

    @property
    def aim(self) -> Aim:
        turns = isinstance(self.kind, CorruptInvert)
        return Aim(
            content_left=(LEAST_LEFT if turns else 0.0, 1.0),
            flips=1 if turns and self.field == "what" else 0,
            roles=(_ROLE[self.field],),
            quotes=turns,
            prose=False,
            effect="meaning",
            # all else stands, so what changed is in the field
            standing=self.others,
        )

    def places(self, item: str) -> tuple[Span, ...]:
        """Where the field stands in the item, without blanks around it."""
        found = []
        for run in runs_of(item):
            if run.role == _ROLE[self.field] and (self.field == "scope") == _ends(item, run):
                text = item[run.start : run.end].rstrip()
                found.append((run.start + len(text) - len(text.lstrip()), run.start + len(text)))
        return tuple(found)

    def others(self, item: str) -> tuple[Span, ...]:
        """Where everything else stands."""
        edges = [0, *(edge for place in self.places(item) for edge in place), len(item)]
        return tuple((low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high)

    def why_not(self, slot: Slot, donor: Slot) -> str:
        if slot.empty:
            return "the slot holds no item"
        if not any(self.places(item) for item in slot.items):
            return f"no item says anything of `{self.field}`"
        if isinstance(self.kind, CorruptMask):
            return self.kind.why_not(self._alone(slot), donor)
        if reason := self.kind.why_not(slot, donor):
            return reason
        enough = all if self.field == "what" else any
        if not enough(self._turned(item) for item in slot.items):
            return f"what the items say of `{self.field}` cannot be turned round by itself"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        if isinstance(self.kind, CorruptInvert):
            return Slot(slot.cue, tuple(apply(item, self._turned(item)) for item in slot.items))
        masked = iter(self.kind(self._alone(slot), rng, donor).items)
        items = []
        for item in slot.items:
            edits = [Edit(low, high, next(masked).removeprefix(_CUES)) for low, high in self.places(item)]
            items.append(apply(item, edits))
        return Slot(slot.cue, tuple(items))

    def _alone(self, slot: Slot) -> Slot:
        """The places of the field as items of their own; names of cues are known by their heading."""
        head = _CUES if self.field == "when" else ""
        texts = (head + item[low:high] for item in slot.items for low, high in self.places(item))
        return Slot(slot.cue, tuple(texts))

    def _turned(self, item: str) -> list[Edit]:
        if isinstance(self.kind, CorruptMask):
            return []
        places, turned = self.places(item), (edit for edits in turns_of(item) for edit in edits)
        return [one for one in turned if any(low <= one.start and one.end <= high for low, high in places)]


def _ends(item: str, run: Run) -> bool:
    before = item[max(0, run.start - 20) : run.start]
    opened = _EXCLUDES.match(item, run.start, run.end) or _ENDS.search(before)
    return run.role == "when" and (run.label == "scope" or bool(opened))


ONE_FIELD: tuple[OneField, ...] = (
    OneField(CorruptMask(), "when"),
    OneField(CorruptMask(), "what"),
    OneField(CorruptMask(), "why"),
    OneField(CorruptMask(), "scope"),
    OneField(CorruptInvert(), "what"),
    OneField(CorruptInvert(), "why"),
)
"""An inversion leaves conditions as they are, so it has no kind for them."""
