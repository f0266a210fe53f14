"""The slot: the text that memory occupies in the prompt."""

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Slot:
    """A cue line and the items shown. Perturbations map a slot to a slot.

    Args:
        cue: the line above the items that says what they are. Empty only when there is no block at all. One
            that ends in a newline has the items at once below it; after any other a blank line follows.
        items: the text of each item, markdown or prose, in the order shown. Position is identity:
            a perturbation keeps the number of items, so that the i-th damaged text belongs to the
            i-th intact item.
    """

    cue: str = ""
    items: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The block as it stands in the prompt; empty when there is none."""
        items = "\n\n".join(item for item in self.items if item)
        if self.cue.endswith("\n"):
            return self.cue + items
        return "\n\n".join(part for part in (self.cue, items) if part)

    @property
    def empty(self) -> bool:
        """No item was retrieved, or all of the record's items were dropped."""
        return not self.items

    @property
    def digest(self) -> str:
        """Sha256 of the text, the name under which the ledger keeps it."""
        return sha256(self.text.encode()).hexdigest()


NOTHING = Slot()
