"""What keeps a text from its canonical form, by its own words (REQUIREMENTS A-13, A-55)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memtrial.memory.bank.canonical.canonical_form import MOST_WORDS_OF_A_NAME
from memtrial.memory.bank.canonical.instance_marks import KINDS_OF_MARKS, MarkKind, find_marks
from memtrial.memory.bank.canonical.quantity_ranges import find_quantities
from memtrial.memory.item import Item, field_names, schema_of


@dataclass(frozen=True, slots=True)
class CanonicalFault:
    """One thing that is of one instance.

    Args:
        kind: what it is; "quantity" for one value in the place of a range, "name" for a title that is long.
        field: of the item; empty for a text.
        quote: the words themselves.
    """

    kind: MarkKind | Literal["quantity", "name"]
    field: str
    quote: str


def find_instance_words(text: str, field: str = "") -> Iterator[CanonicalFault]:
    """Each mark of one instance and each exact quantity; none in a text that is canonical."""
    for kind in KINDS_OF_MARKS:
        for mark in find_marks(text, kind):
            yield CanonicalFault(kind, field, text[mark.start : mark.stop])
    for quantity in find_quantities(text):
        yield CanonicalFault("quantity", field, text[quantity.start : quantity.stop])


def lint_item(item: Item) -> tuple[CanonicalFault, ...]:
    """All that is left in any field, in their order."""
    faults: list[CanonicalFault] = []
    for name in field_names(schema_of(item)):
        text: str = getattr(item, name)
        if name == "title" and len(text.split()) > MOST_WORDS_OF_A_NAME:
            faults.append(CanonicalFault("name", name, text))
        faults += find_instance_words(text, name)
    return tuple(faults)
