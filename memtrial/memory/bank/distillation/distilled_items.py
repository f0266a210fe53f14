"""What became of one call of the distiller."""

from dataclasses import dataclass

from memtrial.memory.bank.bank_item import ItemDetails, Outcome
from memtrial.memory.item import Item

MOST_ITEMS = 3
"""Items of one trajectory (seeds/003 section 5; more are cut, in their order)."""


@dataclass(frozen=True, slots=True)
class DistilledItem:
    """One item as the distiller wrote it, before redaction and canonical form.

    Args:
        outcome: `success` for a strategy, `failure` for a guardrail, which says what to do instead.
        attempt: of several that were compared the one that it comes of, from 1 on as they were shown; 0
            where that is not stated.
    """

    item: Item
    outcome: Outcome
    details: ItemDetails = ItemDetails()
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Distillation:
    """The items of one call, what was dropped, and what could not be read.

    Args:
        notes: what the distiller says of the attempts that it compared.
        dropped: what is no item of the bank, and why: one a line.
        calls: how often the model was asked.
        fault: why no item could be read in the last reply; empty where some could, or where it says that
            there is none.
    """

    items: tuple[DistilledItem, ...] = ()
    notes: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    calls: int = 1
    fault: str = ""
