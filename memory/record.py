"""A record: the items that one source task left behind."""

from dataclasses import asdict, dataclass

from loadbearing.episodes.trajectory import Verdict
from loadbearing.memory.item import Item, item_to_json


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
