"""What a perturbation is given beside the slot, its two possible answers, and its damage in pieces."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from memtrial.agents.slot import Slot
from memtrial.memory.language.sentences import Edits
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.language.word_spans import TextWord
from memtrial.protocols import Perturbation

if TYPE_CHECKING:
    from numpy.random import Generator

Items = tuple[str, ...]
Texts = Mapping[tuple[str, str], Items]
"""By kind and `items_digest` of the intact slot."""


def items_digest(slot: Slot) -> str:
    """Sha256 of the items without the cue line: an instruction in that line changes no item."""
    return sha256(json.dumps(slot.items).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Damaged:
    """The damage was done.

    Args:
        slot: the damaged slot.
        before: what the damage is measured against, where that is not the slot that was given: the slot
            under an instruction, when it was damaged after the instruction was added.
    """

    slot: Slot
    before: Slot | None = None


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The kind cannot be applied to this slot; the reason is a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class DamageContext:
    """What damage may draw on beside the slot itself.

    Args:
        donors: slots that belong elsewhere, in the order in which they are tried. Most kinds need none.
        known: the actions that the world accepts.
        written: texts of a model that were accepted beforehand; a kind that finds its own shows it, draws
            nothing and needs no donor.
        declined: why a kind does not apply to a slot, by the same key: no text of a model was accepted, and
            the rules are not to write one.
    """

    donors: tuple[Slot, ...] = ()
    known: Repertoire = NOTHING_KNOWN
    written: Texts = field(default_factory=dict)
    declined: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def find_written(self, kind: str, slot: Slot) -> Damaged | NotApplicable | None:
        """The text that was written for this kind and these items, under the slot's own cue line, or why
        there is to be none; None where the rules write."""
        if not (self.written or self.declined):
            return None
        key = kind, items_digest(slot)
        if items := self.written.get(key):
            return Damaged(Slot(slot.cue, items))
        return NotApplicable(self.declined[key]) if key in self.declined else None


NO_CONTEXT = DamageContext()
ODDITY = "oddity"
"""Before the name of a kind: its oddity placebo, which is as odd and keeps the advice."""


@dataclass(frozen=True, slots=True)
class PieceDamage:
    """How a kind damages less than a whole slot, for kinds that are made of it: one field, or an oddity.

    One of the three is set.

    Args:
        replace_words: for a slot, the function that gives what stands in the place of each word.
        turn_sentences: the edits of each sentence of an item, drawn from nothing.
        write_sentence: another text in the place of a whole sentence; the same text where there is none.
    """

    replace_words: Callable[[Slot, Generator], Callable[[TextWord], str]] | None = None
    turn_sentences: Callable[[str], tuple[Edits, ...]] | None = None
    write_sentence: Callable[[str, Generator], str] | None = None


class Divisible(Perturbation, Protocol):
    """A kind that can damage less than a whole slot."""

    @property
    def pieces(self) -> PieceDamage:
        """How it damages a word or a sentence."""
