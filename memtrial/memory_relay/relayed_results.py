"""What a client is shown of an answer of the memory server: its tools as they are, its items replaced."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from memtrial.memory_relay.bounded_lines import RelayFault
from memtrial.memory_relay.messages import Message, print_tool, text_result
from memtrial.memory_relay.relay_plan import RelayPlan
from memtrial.memory_relay.shown_items import ItemTable, ReplacedText

DEEPEST = 100
KINDS = ("jsonrpc", "id", "type", "resultType", "mimeType")
"""Fields whose text is of the protocol and no memory."""


NO_ITEMS = ItemTable(())


@dataclass
class Reading:
    """What was read in one call of a tool.

    Args:
        items: the places of the items that stood in the result.
        known, unknown: letters and digits within items, and outside of any, where a tool read memory.
        stranger: the longest text outside.
    """

    items: list[int] = field(default_factory=list)
    known: int = 0
    unknown: int = 0
    stranger: str = ""

    def add(self, shown: ReplacedText) -> None:
        """Count a text."""
        self.items += shown.items
        self.known += shown.known
        self.unknown += shown.unknown
        self.stranger = max(self.stranger, shown.stranger, key=len)


def check_tools(result: Message, plan: RelayPlan) -> Message:
    """The list of tools without shapes of results, which are shown as their text in every condition.

    RelayFault where a tool is not the one that was there before the first trial.
    """
    tools = result.get("tools")
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    refuse_deep(listed)
    for tool in listed:
        name = str(tool.get("name"))
        if plan.prints.get(name) != print_tool(tool):
            raise RelayFault(f"changed its tools: {name!r:.80} is another than before the first trial")
    if not result.get("nextCursor") and len(listed) < len(plan.prints):
        gone = next(iter(sorted(plan.prints.keys() - {str(tool.get("name")) for tool in listed})), "")
        if gone:
            raise RelayFault(f"changed its tools: {gone!r:.80} is gone")
    kept = [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in listed]
    return {**result, "tools": kept}


def refuse_deep(value: Any) -> None:
    """RelayFault where a value of JSON is nested too deeply to be written."""
    replace_items(value, NO_ITEMS, lambda _: None)


def show_result(result: Message, plan: RelayPlan, table: ItemTable, reads: bool) -> tuple[Message, Reading]:
    """The result of a tool that was called, and what was read in it."""
    flat, reading = flatten_result(result), Reading()

    def note(text: ReplacedText) -> None:
        if text.items or text.text.strip() != plan.nothing.strip():
            reading.add(text)

    shown = replace_items(flat, table, lambda _: None)
    shown["content"] = replace_items(flat.get("content", []), table, note)
    failed = result.get("isError") is True
    if reads and plan.withheld and not failed:
        return {**text_result(plan.nothing), **_marks(result)}, Reading()
    return shown, reading


def _marks(result: Message) -> Message:
    """What a result says of itself beside its content."""
    return {name: result[name] for name in ("resultType",) if name in result}


def flatten_result(result: Message) -> Message:
    """A result with its text alone; one that has a structure and no text gets the structure as text."""
    if "structuredContent" not in result:
        return result
    flat = {name: value for name, value in result.items() if name != "structuredContent"}
    if not flat.get("content"):
        text = json.dumps(result["structuredContent"], ensure_ascii=False)
        flat["content"] = [{"type": "text", "text": text}]
    return flat


def replace_items(
    value: Any, table: ItemTable, note: Callable[[ReplacedText], None], deepest: int = DEEPEST
) -> Any:
    """A value of JSON with the items in all of its texts replaced; names of fields and kinds stay.

    RelayFault where it is nested more than so deeply.
    """
    if isinstance(value, str):
        shown = table.show(value)
        note(shown)
        return shown.text
    if not isinstance(value, list | dict):
        return value
    if not deepest:
        raise RelayFault(f"sent a message that is nested more than {DEEPEST} deep")
    if isinstance(value, list):
        return [replace_items(part, table, note, deepest - 1) for part in value]
    return {
        name: part if name in KINDS else replace_items(part, table, note, deepest - 1)
        for name, part in value.items()
    }
