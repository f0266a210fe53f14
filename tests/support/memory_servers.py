"""Memory servers of the tests as their user describes them, and a client of the relay, byte by byte."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtrial.memory_relay.bounded_lines import BoundedLines
from memtrial.memory_relay.relay_trial import RelayReport, lay_out, read_report
from memtrial.memory_relay.server_description import MemoryServer, read_server
from memtrial.memory_relay.server_listing import ListedServer, ask_server

SERVER = Path(__file__).with_name("notes_server.py")
NOTES = (
    "Fill the kettle before you light the fire.",
    'Say "stop" first,\nthen close the gate.',
    "Count twice – käse.",
)
DESCRIBED = {
    "reads": ["search_notes", "list_notes"],
    "writes": ["add_note"],
    "list": {"tool": "list_notes"},
    "nothing": "No notes.",
    "state": "notes.json",
    "timeout_s": 20,
}


def describe(folder: Path, conduct: str = "", notes: Sequence[str] = NOTES, **more: Any) -> Path:
    """A file that describes a server of notes, which behaves as its word says."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notes.json").write_text(json.dumps(list(notes)))
    arguments = ["-I", "-S", str(SERVER), "notes.json", *([conduct] if conduct else [])]
    entry = {"command": sys.executable, "args": arguments, **DESCRIBED, **more}
    path = folder / "server.json"
    path.write_text(json.dumps({"mcpServers": {"notes": entry}}))
    return path


SDK_SERVER = Path(__file__).with_name("sdk_notes_server.py")
CALLED = {
    "reads": ["search_notes", "list_notes"],
    "writes": ["add_note", "update_note"],
    "list": {"tool": "list_notes"},
    "add": {"tool": "add_note", "arguments": {"text": "{note}"}},
    "search": {"tool": "search_notes", "arguments": {"query": "{task}", "limit": "{k}"}},
    "update": {"tool": "update_note", "arguments": {"id": "{id}", "text": "{text}"}},
    "text": "text",
    "id": "id",
    "state": "notes.json",
    "timeout_s": 60,
}


def describe_sdk(folder: Path, conduct: str = "", plain: bool = True, **more: Any) -> str:
    """The word of a spec for a memory server that begins without a note: of the standard library, so that it
    is there at once, or on the real SDK."""
    folder.mkdir(parents=True, exist_ok=True)
    env = {} if plain else {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    how = ["-I", "-S"] if plain else []
    arguments = [*how, str(SDK_SERVER), "notes.json", conduct, *(["plain"] if plain else [])]
    entry = {"command": sys.executable, "args": arguments, "env": env, **CALLED, **more}
    kept = {name: value for name, value in entry.items() if value is not None}
    (folder / "server.json").write_text(json.dumps({"mcpServers": {"notes": kept}}))
    return f"mcp?file={folder / 'server.json'}"


def open_described(path: Path) -> MemoryServer:
    return read_server(path, {})


@dataclass
class RelayClient:
    """Speaks to a relay as the clients of agents do, a message a line."""

    process: "subprocess.Popen[bytes]"
    number: int = 0

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        self.reader = BoundedLines(self.process.stdout.fileno())
        self.lines = iter(self.reader)

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The whole answer."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        self.reader.until = time.monotonic() + 30
        for line in self.lines:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self.number:
                return message
        raise AssertionError("the relay hung up")

    def begin(self) -> dict[str, Any]:
        return self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})

    def call(self, tool: str, **arguments: str) -> str:
        """The text that a tool gave."""
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        assert "result" in answer, answer
        assert set(answer["result"]) <= {"content", "isError", "resultType"}
        return "\n".join(block["text"] for block in answer["result"]["content"])


@dataclass
class Played:
    """A trial of the relay, and in the end what its log says."""

    client: RelayClient
    given: Path
    report: RelayReport = RelayReport()


@contextmanager
def relay(listed: ListedServer, given: Path, items: Sequence[str]) -> Iterator[Played]:
    given.mkdir()
    words = lay_out(listed, given, items)
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    played = Played(RelayClient(process), given)
    try:
        yield played
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(20)
        finally:
            process.kill()
            assert process.stdout is not None
            process.stdout.close()
    played.report = read_report(given, items, len(listed.items))


def listed_notes(folder: Path, conduct: str = "", **more: Any) -> ListedServer:
    return ask_server(open_described(describe(folder, conduct, **more)))
