"""What a kind of damage claims, in small values that each say one thing; the manipulation check asks each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memtrial.memory.language.roles import Role, Span

Block = Literal["damaged", "instructed", "removed"]
"""What becomes of the block. Damaged: cue line, headings and number of items stay, and some word is changed.
Instructed: the cue line grows and every item stays verbatim, which is no damage. Removed: nothing is left."""

Advice = Literal["free", "turned", "turned in part", "kept", "exchanged"]
"""What becomes of the advice. Turned: each item advises the opposite, in all that it advises and in all
fields, and not for the reason it gave before, where the reason may be touched. Turned in part: some of it may
stand. Kept: no item advises the opposite. Exchanged: each advised action is another one that the world
accepts, in all fields, and all else stays. Free: anything may."""

Effect = Literal["meaning", "removal", "wording", "other"]
"""What a kind does to a memory: it changes what the text says, it leaves no content, it changes the wording
alone, or none of these."""

Raw = Literal["no", "also", "only"]
"""Whether it is done to raw trajectories. Arms that show these get all such kinds, whatever the spec lists:
the paper's faithful contrast (arXiv 2601.22436)."""

FEW_WORDS, FEW_CHARACTERS = 2, 12
"""A short lesson may be so many words longer or shorter whatever its share is, since a note of ten takes a
"never"; any item so many characters beyond its share."""


@dataclass(frozen=True, slots=True)
class Length:
    """How much of the length is kept, in words and in characters.

    Args:
        least, most: ratio, damaged over intact.
        unit: what keeps it: each item, or the slot as a whole.
        few: how often the few words and characters are allowed, whatever the share.
    """

    least: float = 0.9
    most: float = 1.1
    unit: Literal["item", "slot"] = "item"
    few: int = 1


@dataclass(frozen=True, slots=True)
class Verbatim:
    """What stands verbatim in every item that is damaged.

    Args:
        quotes: every quoted span.
        all_but: the roles that may be touched; the text of all others stands. None where any may.
        spans: from the intact item to the spans of it that stand, in order.
    """

    quotes: bool = False
    all_but: tuple[Role, ...] | None = None
    spans: Callable[[str], tuple[Span, ...]] | None = None

    def spares(self, role: Role) -> bool:
        """Whether the text of this role stands."""
        return self.all_but is not None and role not in self.all_but


@dataclass(frozen=True, slots=True)
class Wording:
    """How the text is put.

    Args:
        least_changed: least share of the words outside quotes that changed, in [0, 1].
        sentences: what is written is whole sentences in sound grammar; False for marks and filler.
    """

    least_changed: float = 0.0
    sentences: bool = True


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the rest of a run is told of the kind, and no text is held to.

    Args:
        effect: for the analysis and the reports.
        raw: for the design: which arms get it.
        part: of a kind made of two, the name of the one that damages, under which it draws and is checked;
            empty for all others. So a kind draws under an instruction what it draws without.
        draws_as: the kind whose draw it repeats, so that both show the same foreign text; empty for most.
    """

    effect: Effect = "other"
    raw: Raw = "no"
    part: str = ""
    draws_as: str = ""


@dataclass(frozen=True, slots=True)
class Aim:
    """What the manipulation check asks of the damaged text; a kind states only what it claims.

    `Aim()` asks that some word is changed, that the frame and the length of the items are kept, and that
    what is written is sentences.

    Args:
        content_left: least and most share of the original's content words that may still stand, in [0, 1].
        advice_hidden: least share of the content words of what to do, by stem, of which no place is left;
            every other content word stands. None where it is not asked.
        length: None where it is not kept.
        steps_moved: least share of the steps of raw trajectories in whose place another step stands, of those
            that can move at all; every step's text is there, at whatever place. None where it is not asked.

    Source: DESIGN 5, "Perturbation".
    """

    content_left: tuple[float, float] = (0.0, 1.0)
    length: Length | None = Length()
    block: Block = "damaged"
    advice: Advice = "free"
    verbatim: Verbatim = Verbatim()
    advice_hidden: float | None = None
    steps_moved: float | None = None
    wording: Wording = Wording()
    declared: Declaration = Declaration()


def refuse_no_share(dose: float) -> None:
    """Raises ValueError for a dose that is no share, or does nothing."""
    if not 0 < dose <= 1:
        raise ValueError(f"dose must be in (0, 1], got {dose}; leave the kind out for no damage")
