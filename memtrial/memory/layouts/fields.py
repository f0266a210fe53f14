"""What every layout is read into: the fields of an item, each with its place in the text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memtrial.memory.item import Item, field_names, item_from_json, schema_with

NATIVE, THEORY = field_names("native"), field_names("theory")
_LETTERS = re.compile(r"[\W\d_]+")
Span = tuple[int, int]
Kind = Literal["json", "tags", "table", "labels"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one item.

    Args:
        name: of a field of either schema.
        value: its text, as it is stored.
        spans: where that text stands in the reply, without marks and quotes; several where it is a list.
    """

    name: str
    value: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class ItemBlock:
    """One item as it stands in a reply, `[start, stop)` of the text; no field stands twice."""

    fields: tuple[Field, ...]
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class ItemLayout:
    """The items of a reply in one layout.

    Args:
        kind: how fields are marked.
        blocks: in their order.
        start, stop: the span of all, with the marks around them; what stands outside is no item.
        cut: the text ends inside a further item.
        none: the reply says that there is no item, as an empty list.
        missed: what has fields of an item and is none: without a Claim, or with a field twice.
    """

    kind: Kind
    blocks: tuple[ItemBlock, ...]
    start: int
    stop: int
    cut: bool = False
    none: bool = False
    missed: int = 0

    @property
    def is_closed(self) -> bool:
        """Whether each item ends with a mark of its own, so that one that is cut off shows as such."""
        return self.kind in ("json", "tags")


def field_of(key: str) -> str | None:
    """The field that a key or label names, whatever its case, marks and number: `"Title "`, `**CLAIM 1**`."""
    bare = _LETTERS.sub("", key[:40]).casefold()
    return bare if len(key) <= 40 and (bare in NATIVE or bare in THEORY) else None


def is_item(names: Iterable[str]) -> bool:
    """Whether these fields make an item: a Claim and more of its schema, or two of the native fields."""
    named = set(names)
    return ("claim" in named and len(named & set(THEORY)) > 1) or len(named & set(NATIVE)) > 1


def own_fields(fields: Sequence[Field]) -> dict[str, str]:
    """The values of those of the schema of which more fields are there."""
    values = {field.name: field.value for field in fields}
    return {name: values[name] for name in field_names(schema_with(values, "")) if name in values}


def item_of(fields: Sequence[Field]) -> Item:
    """The item of that schema; fields that are not there are empty."""
    values = own_fields(fields)
    schema = schema_with(values, "")
    return item_from_json({"schema": schema, **dict.fromkeys(field_names(schema), ""), **values})


def breaks_off(last: Field, names: Iterable[str]) -> bool:
    """Whether a reply that ends with this field breaks off in it: its sentence has no end, and fields of its
    schema that should follow are missing."""
    named = set(names)
    needed = [name for name in field_names(schema_with(named, "")) if name != "form"]
    if last.name not in needed or not last.value:
        return False
    missing = [name for name in needed[needed.index(last.name) + 1 :] if name not in named]
    return bool(missing) and last.value[-1] not in ".!?。！？\"'”’)`…]|"
