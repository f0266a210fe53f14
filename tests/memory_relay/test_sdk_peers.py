"""The relay between the protocol's own client and server, of its Python SDK: the newest protocol, too."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from memtrial.memory_relay.relay_trial import lay_out, read_report
from memtrial.memory_relay.server_listing import ask_server
from tests.support.memory_servers import NOTES, describe, open_described

CALLS = (("search_notes", {"query": "gate"}), ("list_notes", {}), ("add_note", {"text": "mine"}))
SERVER = """
import json, pathlib, sys
from mcp.server import MCPServer

place, server = pathlib.Path(sys.argv[1]), MCPServer("notes")

@server.tool()
def search_notes(query: str) -> str:
    hits = [note for note in json.loads(place.read_text()) if query in note]
    return "\\n".join(hits) or "No notes."

@server.tool()
def list_notes() -> list[str]:
    return json.loads(place.read_text())

@server.tool()
def add_note(text: str) -> str:
    place.write_text(json.dumps([*json.loads(place.read_text()), text]))
    return "Added."

server.run()
"""


def test_the_sdks_client_and_server_speak_through_the_relay(tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: it comes with the extra dev")
    (tmp_path / "server.py").write_text(SERVER)
    env = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    described = describe(tmp_path, args=["server.py", "notes.json"], env=env, timeout_s=60)
    listed = ask_server(open_described(described))
    assert listed.items == NOTES, "a list comes as a text for each item"

    async def talk(words: tuple[str, ...]) -> list[str]:
        start = mcp.StdioServerParameters(command=words[0], args=list(words[1:]))
        async with mcp.Client(start) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["search_notes", "list_notes", "add_note"]
            assert not [tool for tool in tools if tool.output_schema is not None]
            texts = []
            for name, arguments in CALLS:
                result = await client.call_tool(name, arguments)
                texts.append(" / ".join(block.text for block in result.content))
            return texts

    for shown, expected in (
        (("A", "B\n2", "C"), ["B\n2", "A / B\n2 / C", "Saved."]),
        ((), ["No notes.", "No notes.", "Saved."]),
    ):
        given = tmp_path / f"given-{len(shown)}"
        given.mkdir()
        assert asyncio.run(talk(lay_out(listed, given, shown))) == expected
        report = read_report(given, shown, len(NOTES))
        assert (report.called, report.wrote, report.unknown, report.fault) == (2, 1, 0, "")
        assert set(report.given) == set(shown)
