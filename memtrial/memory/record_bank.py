"""A record, the items that one source task left behind, and a bank: all records of one condenser."""

import json
from collections import Counter
from dataclasses import asdict, dataclass
from hashlib import sha256

from memtrial.agents.trajectory import Verdict
from memtrial.memory.item import Item, item_to_json
from memtrial.prompts.control_prompts import ReplyLayout


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
        reply: the condenser's own words, which are shown in the place of the items; None where it has none.
    """

    task_id: str
    query: str
    family: str
    template: str
    items: tuple[Item, ...]
    trace_id: str
    outcome: Verdict
    reply: str | None = None

    def to_json(self) -> dict[str, object]:
        """The fields as a JSON object; `reply` only where there is one."""
        fields = asdict(self) | {"items": [item_to_json(item) for item in self.items]}
        return {name: value for name, value in fields.items() if name != "reply" or value is not None}


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
