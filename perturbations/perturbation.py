"""What a perturbation is, and what it must achieve."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.memory.language.roles import Role
from memtrial.memory.language.sentences import Edits
from memtrial.perturbations.language.word_spans import TextWord

Effect = Literal["meaning", "removal", "wording", "other"]
"""What a kind does to a memory: it changes what the text says, it leaves no content, it changes the wording
alone, or none of these."""

Raw = Literal["no", "also", "only"]
"""Whether it is done to raw trajectories. Arms that show these get all such kinds, whatever the spec lists:
the paper's faithful contrast (arXiv 2601.22436)."""


FEW_WORDS, FEW_CHARACTERS = 2, 12
"""A short item may be so many words longer or shorter whatever its share is, since a note of ten takes a
"never"; any item so many characters beyond its share."""


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


@dataclass(frozen=True, slots=True)
class Aim:
    """What the manipulation check asks of the damaged text. All shares are in [0, 1].

    Args:
        content_left: least and most share of the original's content words that may still stand.
        length: least and most ratio of words and of characters, damaged over intact; None where length is
            not kept.
        length_of: what keeps that length: each item, or the slot as a whole.
        flips: least number of flips in every item.
        block: the cue line, the headings and the number of items stay; False where the block is removed.
        most_flips: most flips in what an item advises; None where they do not matter.
        quotes: every quoted span stands verbatim.
        order: least share of the steps in whose place another one stands, of those that can move at all;
            above 0, every step's text must be there, at whatever place.
        instructs: the cue line grows and every item stays verbatim: an instruction, and no damage.
        exchanges: each advised action must be another one that the world accepts, and all else must stay.
        roles: those that may be touched; the text of all others stands verbatim. None where any may.
        least_changed: least share of the words outside quotes that changed.
        standing: which spans of an item must stand verbatim, in order, where an item is damaged around them.
        prose: what is written is whole sentences in sound grammar; False for marks and filler.
        effect: which the analysis and the reports are told by the run's plan.
        pieces: how the kind damages less than a whole slot; None where it cannot.
        part: of a kind made of two, the name of the one that damages, under which it draws and is checked;
            empty for all others. So a kind draws under an instruction what it draws without.

    Source: DESIGN 5, "Perturbation".
    """

    content_left: tuple[float, float]
    length: tuple[float, float] | None = (0.9, 1.1)
    flips: int = 0
    block: bool = True
    most_flips: int | None = None
    quotes: bool = False
    order: float = 0.0
    instructs: bool = False
    exchanges: bool = False
    roles: tuple[Role, ...] | None = None
    least_changed: float = 0.0
    length_of: Literal["item", "slot"] = "item"
    standing: Callable[[str], tuple[tuple[int, int], ...]] | None = None
    prose: bool = True
    effect: Effect = "other"
    raw: Raw = "no"
    pieces: PieceDamage | None = None
    part: str = ""


def refuse_no_share(dose: float) -> None:
    """Raises ValueError for a dose that is no share, or does nothing."""
    if not 0 < dose <= 1:
        raise ValueError(f"dose must be in (0, 1], got {dose}; leave the kind out for no damage")
