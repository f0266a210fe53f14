"""A bank: all records of one condenser, frozen and named by its content."""

import json
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256

from loadbearing.memory.record import Record
from loadbearing.prompts.control import ReplyLayout


@dataclass(frozen=True, slots=True)
class Bank:
    """All records of one condenser.

    Args:
        condenser: the condenser's name.
        records: at most one a source task; their order is part of the bank.
        layout: in which replies are shown, where these are what the records hold.

    Raises:
        ValueError: two records share a task id.
    """

    condenser: str
    records: tuple[Record, ...]
    layout: ReplyLayout = "webarena"

    def __post_init__(self) -> None:
        counts = Counter(record.task_id for record in self.records)
        twice = sorted(task_id for task_id, count in counts.items() if count > 1)
        if twice:
            raise ValueError(
                f"one record a task in a bank; {self.condenser!r} has several for {len(twice)} tasks, first"
                f" {twice[0]!r}: keep one of each"
            )

    @property
    def verbatim(self) -> bool:
        """What is shown are the replies of a condenser, and not its items."""
        return any(record.reply is not None for record in self.records)

    @property
    def digest(self) -> str:
        """Sha256 of the canonical JSON: one character of one item makes another bank."""
        records = [record.to_json() for record in self.records]
        body: dict[str, object] = {"condenser": self.condenser, "records": records}
        if self.verbatim:
            body["layout"] = self.layout
        return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
