"""Odd text beside an item that stays as it is: about nothing, damaged as a kind damages it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.memory.language.sentences import Edit, apply
from memtrial.memory.language.structure import ADVISING, HeadedPart, place_parts
from memtrial.perturbations.damage_contract import PieceDamage
from memtrial.perturbations.irrelevant.irrelevant_generic import KINDS, Speaker, sayable
from memtrial.perturbations.language.word_spans import count_content, n_words, reword

if TYPE_CHECKING:
    from numpy.random import Generator

LEAST_WORDS = 4
"""Words of the shortest sentence with a `never`."""
_CHARACTERS = 6.5
"""A word with its blank, where the item has none to go by."""
_VERB = re.compile(rf"\b(?:{'|'.join(KINDS[1])})\b(?! of\b)")
"""The verbs of general sentences; a `never` before one is what turning round does to it."""
_PREFERRED = ("mechanism", *ADVISING)
_LIST = re.compile(r"[ \t]*(?:[-*+•|>]|\d{1,3}[.)])[ \t]|[ \t]*(?:```|~~~)|[ \t]*#")


def add_beside(
    slot: Slot, pieces: PieceDamage, n_added: Iterable[int], n_negated: Iterable[int], rng: Generator
) -> Slot | None:
    """Each item with so many words of odd text behind its explanation; None where nothing can be
    said.

    The text is general sentences, none of whose content words stands in the slot, and which advise nothing:
    with the kind's words in the place of theirs, or as they are.

    Args:
        n_added: words, for each item; too few for a sentence are added with those of the next item. Where all
            together are too few, one sentence is added.
        n_negated: sentences of these, for each item, that are short and hold a `never`, as an item does that
            was turned round; they are said however few words are to be added.
    """
    there = sayable(count_content(slot.items))
    if there is None:
        return None
    speaker = Speaker(there, rng)
    change = pieces.replace_words(slot, rng) if pieces.replace_words is not None else None
    items, owed = [*slot.items], 0
    for number, (item, n, negated) in enumerate(zip(slot.items, n_added, n_negated, strict=True)):
        long, size_of = n_words(item), _mean_length(item)
        spoken = [_negate(speaker, size_of) for _ in range(negated)]
        owed = max(0, owed + min(n, long) - LEAST_WORDS * negated)
        last = number == len(items) - 1 and items == [*slot.items] and not spoken
        if long >= LEAST_WORDS - 1 and (owed >= LEAST_WORDS or (last and owed)):
            size = max(LEAST_WORDS, owed)
            text = speaker.sentences(size, round(size * size_of))
            spoken.append(text if change is None else reword(text, change))
            owed = 0  # too few for a sentence are borne by the next item
        if spoken:
            items[number] = _put_behind(item, " ".join(spoken))
    return Slot(slot.cue, tuple(items)) if items != [*slot.items] else None


def _negate(speaker: Speaker, size_of: float) -> str:
    """A short sentence with a `never` before its verb."""
    n = LEAST_WORDS - 1
    return _VERB.sub(r"never \g<0>", speaker.sentences(n, round(n * size_of)), count=1)


def _mean_length(item: str) -> float:
    return len(item) / n_words(item) if n_words(item) else _CHARACTERS


def _put_behind(item: str, text: str) -> str:
    """Behind the last word of the Mechanism, or else of the advice, or of the item."""
    placed = [(part, place) for part, place in place_parts(item) if part.body.strip()]
    ranked = ([entry for entry in placed if entry[0].label == label] for label in _PREFERRED)
    part, place = next((entries[-1] for entries in ranked if entries), placed[-1])
    end = place + len(part.body.rstrip())
    return apply(item, [Edit(end, end, joint_behind(part) + text)])


def joint_behind(part: HeadedPart) -> str:
    """What stands before text that is put behind a body: a blank, or a new line where its last line is no
    prose."""
    last = part.body.rstrip().rpartition("\n")[2]
    return "\n\n" if _LIST.match(last) else " "
