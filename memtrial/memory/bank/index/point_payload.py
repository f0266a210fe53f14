"""What Qdrant keeps beside a vector, in process or on a server: a point's id, its payload and its mark.

A point's id is a UUID made of the item's id. The mark of the index is the payload of a point of its own,
which no filter takes: it has no project.
"""

from dataclasses import asdict
from uuid import NAMESPACE_URL, uuid5

from pydantic import TypeAdapter, ValidationError

from memtrial.memory.bank.index.vector_index import IndexedItem, IndexMark

MARK_POINT = str(uuid5(NAMESPACE_URL, "memtrial:mark"))
Payload = dict[str, str | float | list[str]]
_MARK = TypeAdapter(IndexMark)


def point_id(item_id: str) -> str:
    """The point of an item."""
    return str(uuid5(NAMESPACE_URL, f"memtrial:item:{item_id}"))


def payload_of(item: IndexedItem) -> Payload:
    """What is filtered by, and the item's id."""
    return {
        "item": item.id,
        "project": item.project,
        "domain": item.domain,
        "tags": list(item.tags),
        "outcome": item.outcome,
        "confidence": item.confidence,
        "standing": item.standing,
    }


def mark_payload(mark: IndexMark) -> dict[str, object]:
    """The payload of the mark's point."""
    return {"mark": asdict(mark)}


def read_mark(payload: object) -> IndexMark | None:
    """The mark of a payload; None where it is none."""
    try:
        return _MARK.validate_python(payload.get("mark") if isinstance(payload, dict) else None)
    except ValidationError:
        return None
