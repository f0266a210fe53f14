"""The memory server of a file that says how it is searched, and what a run's plan says of it."""

import os
from hashlib import sha256
from pathlib import Path

from memtrial.faults import RunFault, SpecFault
from memtrial.memory.systems.mcp_session import McpSession
from memtrial.memory_relay.server_description import MemoryServer, read_server
from memtrial.memory_relay.server_state import digest_state


def open_server(file: str) -> MemoryServer:
    """The server of a description that says how it is searched. SpecFault where it does not, or is none."""
    server = read_server(Path(file).expanduser(), os.environ)
    if server.entry.search is None:
        raise SpecFault(
            f"mcp: {Path(file).name}: search names the call that finds what fits a task, as"
            ' "search": {"tool": "search_notes", "arguments": {"query": "{task}"}}'
        )
    return server


def digest_server(server: MemoryServer) -> tuple[str, str]:
    """What the server calls itself, and sha256 of its description and of the state that it begins with.

    SpecFault where it does not start, or lacks a tool that is named.
    """
    try:
        session = McpSession(server)
        name, tools = session.identity, session.tools
    except RunFault as fault:
        raise SpecFault(str(fault)) from fault
    entry = server.entry
    asked = [call.tool for call in (entry.list, entry.add, entry.search, entry.update) if call is not None]
    if missing := next((tool for tool in asked if tool not in tools), None):
        raise SpecFault(
            f"mcp: memory server {server.name} has no tool {missing}; it has {', '.join(tools):.500}"
        )
    begins = digest_state(server.state) if server.state is not None and server.state.exists() else ""
    return name, sha256(f"{entry.model_dump_json()}{begins}".encode("utf-8", "surrogatepass")).hexdigest()
