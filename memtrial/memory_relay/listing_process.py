"""Asks a memory server once for its tools and its items, in a process of its own: an order in, a file out."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from memtrial.memory_relay.bounded_lines import BoundedLines, RelayFault
from memtrial.memory_relay.messages import (
    MISSING_METHOD,
    Message,
    print_tool,
    read_message,
    refuse,
    write_message,
)
from memtrial.memory_relay.relay_plan import ServerStart
from memtrial.memory_relay.relayed_results import flatten_result, refuse_deep
from memtrial.memory_relay.server_process import ServerProcess, start_server

PROTOCOL = "2025-06-18"
MOST_PAGES, MOST_TOOLS = 50, 500


@dataclass(frozen=True, slots=True)
class ListingOrder:
    """What is to be asked.

    Args:
        tool, arguments: the call that lists the items.
        written: the file that gets the answer.
    """

    start: ServerStart
    tool: str
    arguments: Mapping[str, Any]
    timeout_s: float
    written: str

    def as_json(self) -> str:
        """As text for a file."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class ListingAnswer:
    """What the server said.

    Args:
        prints: of each tool, by its name.
        texts: of the list of items.
        fault: why nothing came of it; empty where it did.
    """

    prints: Mapping[str, str] = field(default_factory=dict)
    texts: Sequence[str] = ()
    fault: str = ""


@dataclass
class Conversation:
    """A client that asks one thing at a time."""

    server: ServerProcess
    timeout_s: float
    number: int = 0
    lines: Iterator[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.reader = BoundedLines(self.server.output)
        self.lines = iter(self.reader)

    def ask(self, method: str, parameters: Message) -> Message:
        """The result. RelayFault where the server refuses, ends, or does not answer in time."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        self.reader.until = time.monotonic() + self.timeout_s
        self.server.send(write_message(request))
        for line in self.lines:
            message = read_message(line)
            if message is None or "method" in message:
                if message is not None and message.get("id") is not None:
                    self.server.send(refuse(message["id"], MISSING_METHOD, "not supported"))
                continue
            if message.get("id") != self.number:
                continue
            result = message.get("result")
            if not isinstance(result, dict):
                fault = message.get("error")
                why = fault.get("message") if isinstance(fault, dict) else None
                raise RelayFault(f"refused {method}: {str(why)[:200]}")
            return result
        raise RelayFault(self.server.say_end())


def list_tools(talk: Conversation) -> list[Message]:
    """All tools, page by page."""
    tools: list[Message] = []
    cursor: object = None
    for _ in range(MOST_PAGES):
        page = talk.ask("tools/list", {"cursor": cursor} if cursor else {})
        listed = page.get("tools")
        tools += [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
        refuse_deep(page)
        cursor = page.get("nextCursor")
        if len(tools) > MOST_TOOLS:
            break
        if not cursor:
            return tools
    raise RelayFault(f"lists more than {MOST_TOOLS} tools, or more than {MOST_PAGES} pages of them")


def list_texts(result: Message) -> list[str]:
    """The texts of what a tool gave. RelayFault where it failed."""
    content = flatten_result(result).get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    kept = [text for text in texts if isinstance(text, str)]
    if result.get("isError") is True:
        raise RelayFault(f"failed to list its items: {' '.join(kept)[:200]}")
    return kept


def _ask(order: ListingOrder) -> ListingAnswer:
    server = start_server(order.start)
    try:
        talk = Conversation(server, order.timeout_s)
        client = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "memtrial", "version": "1"},
        }
        talk.ask("initialize", client)
        server.send(write_message({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        tools = list_tools(talk)
        prints = {str(tool.get("name")): print_tool(tool) for tool in tools}
        if order.tool not in prints:
            return ListingAnswer(prints)
        called = talk.ask("tools/call", {"name": order.tool, "arguments": dict(order.arguments)})
        return ListingAnswer(prints, list_texts(called))
    finally:
        server.hang_up()


def run(place: str) -> None:
    """Carry out the order in this file."""
    raw = json.loads(Path(place).read_text(encoding="utf-8"))
    start = ServerStart(tuple(raw["start"]["words"]), raw["start"]["folder"], raw["start"]["variables"])
    order = ListingOrder(**{**raw, "start": start})
    try:
        said = _ask(order)
    except RelayFault as fault:
        said = ListingAnswer(fault=str(fault))
    Path(order.written).write_text(json.dumps(asdict(said)), encoding="utf-8")
