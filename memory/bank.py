"""A bank: all records of one condenser, frozen and named by its content."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from loadbearing.memory.record import Record


@dataclass(frozen=True, slots=True)
class Bank:
    """All records of one condenser.

    Args:
        condenser: the condenser's name.
        records: at most one a source task; their order is part of the bank.

    Raises:
        ValueError: two records share a task id.
    """

    condenser: str
    records: tuple[Record, ...]

    def __post_init__(self) -> None:
        counts = Counter(record.task_id for record in self.records)
        twice = sorted(task_id for task_id, count in counts.items() if count > 1)
        if twice:
            named = ", ".join(map(repr, twice[:3])) + (" …" if len(twice) > 3 else "")
            raise ValueError(
                f"one record a task in a bank; {self.condenser!r} has several for {named}: keep one of each"
            )

    @property
    def digest(self) -> str:
        """Sha256 of the canonical JSON: one character of one item makes another bank."""
        canonical = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return sha256(canonical.encode()).hexdigest()

    def to_json(self) -> dict[str, object]:
        """A JSON object; `from_json` is its inverse."""
        return {"condenser": self.condenser, "records": [record.to_json() for record in self.records]}

    @staticmethod
    def from_json(raw: Mapping[str, object]) -> Bank:
        """A bank from its JSON object; further keys are ignored.

        Raises:
            ValueError: a key is missing or of another type, or two records share a task id.
        """
        condenser, records = raw.get("condenser"), raw.get("records")
        if not isinstance(condenser, str):
            raise ValueError(f"a bank needs the text 'condenser', got {condenser!r}")
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise ValueError(f"a bank needs 'records', a list of objects, got {records!r}")
        return Bank(condenser, tuple(Record.from_json(record) for record in records))
