"""Damage of one field alone, by role in any schema: `corrupt_mask@when`, `corrupt_invert@why`.

A Trigger, or the condition of a Content, says when; a Claim says what to do; a Mechanism or a `because` says
why; a Scope, an `unless` or a `does not apply` says where it ends. All else stands verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memtrial.agents.slot import Slot
from memtrial.memory.language.roles import Role, Run, Span, runs_of
from memtrial.memory.language.sentences import Edit, Edits, apply
from memtrial.memory.language.structure import place_parts
from memtrial.perturbations.aim import Aim, Declaration, Verbatim, Wording
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.damage_contract import DamageContext, Damaged, Divisible, NotApplicable
from memtrial.perturbations.language.word_spans import TextWord, locate_words

if TYPE_CHECKING:
    from numpy.random import Generator

Field = Literal["when", "what", "why", "scope"]
AT = "@"
_ROLE: dict[Field, Role] = {"when": "when", "what": "what", "why": "why", "scope": "when"}
_EXCLUDES = re.compile(r"(?i)\W*+(?:unless|except)\b")
_ENDS = re.compile(r"(?i)\b(?:not|never) (?:apply|applies|hold|holds)\s*+\Z")


@dataclass(frozen=True, slots=True)
class OneField:
    """Damage the words of one field as the kind does, and leave all others.

    Masks hide all content words of the field. An inversion of one field contradicts the others, so it is not
    asked to turn the reason with the advice.
    """

    kind: Divisible
    field: Field

    @property
    def name(self) -> str:
        return f"{self.kind.name}{AT}{self.field}"

    @property
    def aim(self) -> Aim:
        whole = self.kind.aim
        # all else stands, so what changed is in the field
        around = Verbatim(whole.verbatim.quotes, all_but=(_ROLE[self.field],), spans=self.others)
        return Aim(
            content_left=(whole.content_left[0], 1.0),
            advice=whole.advice if self.field == "what" else "free",
            verbatim=around,
            wording=Wording(sentences=False),
            declared=Declaration("meaning"),
        )

    def places(self, item: str) -> tuple[Span, ...]:
        """Where the field stands in the item, without blanks around it."""
        spans = []
        for run in runs_of(item):
            if run.role == _ROLE[self.field] and (self.field == "scope") == _ends(item, run):
                text = item[run.start : run.end].rstrip()
                spans.append((run.start + len(text) - len(text.lstrip()), run.start + len(text)))
        return tuple(spans)

    def others(self, item: str) -> tuple[Span, ...]:
        """Where everything else stands."""
        edges = [0, *(edge for place in self.places(item) for edge in place), len(item)]
        return tuple((low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high)

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        if slot.empty:
            return NotApplicable("the slot holds no item")
        if not any(self.places(item) for item in slot.items):
            return NotApplicable(f"no item says anything of `{self.field}`")
        # a text that was written for the whole kind is no damage of one field
        context = replace(context, written={})
        if self.kind.pieces.turn_sentences is not None:
            return self._turn_field(slot, rng, context, self.kind.pieces.turn_sentences)
        if self.kind.pieces.replace_words is None:
            return NotApplicable(f"{self.kind.name} does not damage words")
        return self._replace_words(slot, self.kind.pieces.replace_words(slot, rng))

    def _turn_field(
        self, slot: Slot, rng: Generator, context: DamageContext, turn: Callable[[str], tuple[Edits, ...]]
    ) -> Damaged | NotApplicable:
        """Make those edits of the kind that stand in the field, where the kind applies to the whole slot."""
        whole = self.kind.apply(slot, rng, context)
        if isinstance(whole, NotApplicable):
            return whole
        by_item = [self._edits_within(item, turn) for item in slot.items]
        enough = all if self.field == "what" else any
        if not enough(by_item):
            return NotApplicable(f"what the items say of `{self.field}` cannot be turned round by itself")
        return Damaged(Slot(slot.cue, tuple(map(apply, slot.items, by_item))))

    def _replace_words(self, slot: Slot, change: Callable[[TextWord], str]) -> Damaged | NotApplicable:
        """Put every word of the field through the change; words that only shape the text stay."""
        items = tuple(apply(item, self._changed_words(item, change)) for item in slot.items)
        if items == slot.items:
            return NotApplicable(f"what the items say of `{self.field}` holds no content word")
        return Damaged(Slot(slot.cue, items))

    def _changed_words(self, item: str, change: Callable[[TextWord], str]) -> list[Edit]:
        places = self.places(item)
        return [
            Edit(offset + word.start, offset + word.end, change(word))
            for part, offset in place_parts(item)
            for word in locate_words(part)
            if not word.framed and any(low <= offset + word.start < high for low, high in places)
        ]

    def _edits_within(self, item: str, turn: Callable[[str], tuple[Edits, ...]]) -> list[Edit]:
        places, turned = self.places(item), (edit for edits in turn(item) for edit in edits)
        return [
            edit for edit in turned if any(low <= edit.start and edit.end <= high for low, high in places)
        ]


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
