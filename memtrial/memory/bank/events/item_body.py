"""An item of the bank as JSON, the digest of what rollback restores, and events as JSON.

The digest is of words, details, origin and standing: two versions with the same digest say the same.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from functools import cache, lru_cache
from hashlib import sha256
from typing import get_args

from pydantic import JsonValue, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from memtrial.memory.bank.bank_item import BankItem, ItemDetails, ItemOrigin, ItemUses, Standing
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    EpisodeAdded,
    ItemAdded,
    ItemRevised,
    VectorAdded,
)
from memtrial.memory.item import Item, Schema, field_names, item_from_json, item_to_json
from memtrial.memory.stored_item import MemoryFault

_EVENTS: Mapping[str, type[BankEvent]] = {kind.__name__: kind for kind in get_args(BankEvent)}


class PlainFields(TypedDict):
    """The fields of an item that are a number, a word or a mark."""

    id: str
    version: int
    created: float
    confidence: float
    standing: Standing
    pinned: bool


_PLAIN = tuple(PlainFields.__annotations__)
_PLAIN_FIELDS = TypeAdapter(PlainFields)
_FIELDS = {field.name for field in fields(BankItem)}
_DETAILS, _ORIGIN, _USES = TypeAdapter(ItemDetails), TypeAdapter(ItemOrigin), TypeAdapter(ItemUses)
_READERS: Mapping[str, TypeAdapter[BankEvent]] = {
    name: TypeAdapter(kind) for name, kind in _EVENTS.items() if kind not in (ItemAdded, ItemRevised)
}

_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def canonical(body: object) -> str:
    """JSON of one form: sorted keys, no blanks; ValueError for NaN and infinity."""
    return _CANONICAL.encode(body)


def flat_fields(value: object) -> dict[str, object]:
    """The fields of a dataclass by name, as they are; `asdict` would copy what lies in them, at ten times the
    cost, for each event.
    """
    kind: type = type(value)
    return {name: getattr(value, name) for name in names_of(kind)}


@cache
def names_of(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass; TypeError for another class."""
    if not is_dataclass(kind):
        raise TypeError(f"a dataclass is needed, got {kind.__name__}")
    return tuple(field.name for field in fields(kind))


@lru_cache(maxsize=64)  # an event has the same texts as the row that is read from it
def words_text(words: Item) -> str:
    """An item's words as canonical JSON."""
    return canonical(item_to_json(words))


@lru_cache(maxsize=64)
def fields_text(fields: ItemDetails | ItemOrigin | ItemUses) -> str:
    """The details, the origin or the uses of an item as canonical JSON."""
    return canonical(flat_fields(fields))


def item_text(item: BankItem) -> str:
    """The canonical JSON of `item_body`, put together of parts that are written once."""
    confidence, created, version = canonical([item.confidence, item.created, item.version])[1:-1].split(",")
    pinned, standing = canonical(item.pinned), canonical(item.standing)
    return (
        f'{{"confidence":{confidence},"created":{created},"details":{fields_text(item.details)},'
        f'"id":{canonical(item.id)},"item":{words_text(item.item)},"origin":{fields_text(item.origin)},'
        f'"pinned":{pinned},"standing":{standing},"uses":{fields_text(item.uses)},"version":{version}}}'
    )


def item_body(item: BankItem) -> dict[str, object]:
    """All fields of an item as a JSON object; the words by their schema."""
    parts = {"item": item_to_json(item.item), "origin": flat_fields(item.origin)}
    plain = {name: getattr(item, name) for name in _PLAIN}
    return {**plain, **parts, "details": flat_fields(item.details), "uses": flat_fields(item.uses)}


def read_item_body(raw: Mapping[str, object]) -> BankItem:
    """The inverse of `item_body`.

    Raises:
        ValueError: a field is missing, unknown or of another type.
    """
    words = raw.get("item")
    if not isinstance(words, Mapping) or raw.keys() != _FIELDS:
        raise ValueError(f"an item has the fields {', '.join(sorted(_FIELDS))}; got {', '.join(sorted(raw))}")
    return BankItem(
        item=item_from_json(words),
        origin=_ORIGIN.validate_python(raw["origin"]),
        details=_DETAILS.validate_python(raw["details"]),
        uses=_USES.validate_python(raw["uses"]),
        **_PLAIN_FIELDS.validate_python({name: raw[name] for name in _PLAIN}),
    )


def item_schema() -> dict[str, JsonValue]:
    """The JSON Schema of `item_body`."""
    described = TypeAdapter(BankItem).json_schema(mode="serialization")
    for schema in get_args(Schema):
        # an item's words stand beside the name of their schema
        words = next(part for part in described["$defs"].values() if _holds(part, field_names(schema)))
        words["properties"]["schema"] = {"const": schema}
        words["required"] = [*words["required"], "schema"]
        words["additionalProperties"] = False
    described["required"] = sorted(_FIELDS)
    described["additionalProperties"] = False
    return described


def _holds(part: Mapping[str, Mapping[str, object]], names: Sequence[str]) -> bool:
    return set(part.get("properties", {})) - {"schema"} == set(names)


def words_digest(item: BankItem) -> str:
    """Sha256 of what a rollback brings back, and of where the item came from; in hex."""
    body = [item_to_json(item.item), flat_fields(item.details), flat_fields(item.origin), item.standing]
    return sha256(canonical(body).encode("utf-8", "surrogatepass")).hexdigest()


def kind_of(event: BankEvent) -> str:
    """The name of an event's class, under which it stands in the log."""
    return type(event).__name__


def event_body(event: BankEvent) -> str:
    """An event as canonical JSON; the numbers of a vector stand beside it. ValueError for NaN."""
    match event:
        case ItemAdded(item):
            return f'{{"item":{item_text(item)}}}'
        case ItemRevised(item_id, words, details):
            changed = {"item_id": item_id, "words": item_to_json(words), "details": flat_fields(details)}
            return canonical(changed)
        case VectorAdded(item_id, key):
            return f'{{"item_id":{canonical(item_id)},"key":{canonical(key)}}}'
        case EpisodeAdded():
            return canonical(asdict(event))
        case _:
            return canonical(flat_fields(event))


def read_event(kind: str, body: str, vector: bytes | None) -> BankEvent:
    """The inverse of `event_body`; MemoryFault for anything else."""
    try:
        raw = json.loads(body)
        if not isinstance(raw, dict):
            raise ValueError(f"an object is needed, got {body[:40]!r}")
        if kind == ItemAdded.__name__:
            return ItemAdded(read_item_body(raw["item"]))
        if kind == ItemRevised.__name__:
            words: Item = item_from_json(raw["words"])
            return ItemRevised(str(raw["item_id"]), words, _DETAILS.validate_python(raw["details"]))
        if kind == VectorAdded.__name__:
            raw["vector"] = vector or b""
        return _READERS[kind].validate_python(raw)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise MemoryFault(f"an event {kind!r} of a bank is needed; {where}: {first['msg']}") from fault
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise MemoryFault(f"an event of a bank is needed; {kind!r} cannot be read: {fault}") from fault
