"""A record: the items that one source task left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadbearing.episodes.trajectory import Verdict
from loadbearing.memory.item import Item, item_from_json, item_to_json


@dataclass(frozen=True, slots=True)
class Record:
    """The items of one source task. A record whose items were all dropped stays, with none.

    Args:
        task_id: the source task.
        query: its text, the key of retrieval.
        family: its family.
        template: its template; empty where the world has none.
        items: in the order in which they are shown.
        trace_id: the trajectory they were condensed from.
        outcome: how that trajectory ended.
    """

    task_id: str
    query: str
    family: str
    template: str
    items: tuple[Item, ...]
    trace_id: str
    outcome: Verdict

    def to_json(self) -> dict[str, object]:
        """A JSON object; `from_json` is its inverse."""
        return {
            "task_id": self.task_id,
            "query": self.query,
            "family": self.family,
            "template": self.template,
            "items": [item_to_json(item) for item in self.items],
            "trace_id": self.trace_id,
            "outcome": self.outcome,
        }

    @staticmethod
    def from_json(raw: Mapping[str, object]) -> Record:
        """A record from its JSON object; further keys are ignored.

        Raises:
            ValueError: a key is missing or holds something else than it should.
        """
        items = raw.get("items")
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise ValueError(f"a record needs 'items', a list of objects, got {items!r}")
        return Record(
            task_id=_text(raw, "task_id"),
            query=_text(raw, "query"),
            family=_text(raw, "family"),
            template=_text(raw, "template"),
            items=tuple(item_from_json(item) for item in items),
            trace_id=_text(raw, "trace_id"),
            outcome=_outcome(raw),
        )


def _text(raw: Mapping[str, object], key: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str):
        raise ValueError(f"a record needs the text {key!r}, got {value!r}")
    return value


def _outcome(raw: Mapping[str, object]) -> Verdict:
    value = raw.get("outcome")
    if value == "success":
        return "success"
    if value == "failure":
        return "failure"
    raise ValueError(f"a record's outcome is 'success' or 'failure', not {value!r}")
