"""The slot, the text that memory occupies in the prompt, and how it reaches an agent, seen from its side."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Slot:
    """A cue line and the items shown. Perturbations map a slot to a slot.

    Args:
        cue: the line above the items that says what they are. Empty only where there is no text. One that
            ends in a newline has the items at once below it; after any other a blank line follows.
        items: the text of each item, markdown or prose, in the order shown. Position is identity:
            a perturbation keeps the number of items, so that the i-th damaged text belongs to the
            i-th intact item.
    """

    cue: str = ""
    items: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The block as it stands in the prompt; empty when there is none."""
        return _join_items(self.cue, self.items)

    @property
    def empty(self) -> bool:
        """No item was retrieved, or all of the record's items were dropped."""
        return not self.items

    @property
    def blank(self) -> bool:
        """It is empty, or no item has a text: as an intact slot it counts as no memory."""
        return not any(item.strip() for item in self.items)

    @property
    def digest(self) -> str:
        """Sha256 of the text, the name under which the ledger keeps it."""
        return _digest_of(self.text)


@lru_cache(maxsize=1024)  # asked for with every request and every row of a trial
def _join_items(cue: str, items: tuple[str, ...]) -> str:
    joined = "\n\n".join(item for item in items if item)
    if cue.endswith("\n"):
        return cue + joined
    return "\n\n".join(part for part in (cue, joined) if part)


@lru_cache(maxsize=1024)
def _digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


NOTHING = Slot()
BLANK = Slot("", ("\n\n",))
"""A block without a text: the blank line that would stand above it is there all the same (UPSTREAM 3.3)."""


@dataclass(frozen=True, slots=True)
class Firing:
    """One item's Trigger held, in a turn counted from 0; `item` is its position in the slot.

    `why` are the cues that held; `shown` is False for a shadow firing, which is only logged.
    """

    step: int
    item: int
    why: str
    shown: bool


@dataclass(frozen=True, slots=True)
class BrokenCheck:
    """A proposed action lacked what an item's check states; `withheld` is False where that is only logged.

    Turns are counted from 0, `item` is the position in the slot.
    """

    step: int
    item: int
    withheld: bool
