"""A memory server (MCP) that its user describes: written to and searched by its own tools."""

from collections.abc import Mapping, Sequence

from memtrial.agents.trajectory import Trajectory
from memtrial.faults import RunFault
from memtrial.memory.systems.mcp_calls import rank_items, read_list
from memtrial.memory.systems.mcp_session import McpSession
from memtrial.memory.systems.notes_store import write_note
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.told_run import join_run
from memtrial.memory_relay.listed_items import ListedItem
from memtrial.memory_relay.server_description import MemoryServer


class McpMemory:
    """A server's items as its list gives them; those of a task in the order of its search."""

    def __init__(self, door: SystemDoor, server: MemoryServer) -> None:
        self._door, self._entry, self._session = door, server.entry, McpSession(server)
        self._put = dict[str, str]()
        self._held = self._list()

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        """Write the run, or a note of it; nothing where the memory is taken as it is."""
        add = self._entry.add
        note = write_note(self._door, trajectory) if add is not None and add.names("note") else ""
        if add is not None and (note or not add.names("note")):
            named = {"trace": trajectory.trace_id, "task": trajectory.query, "outcome": trajectory.outcome}
            self._session.write(add, {**named, "run": join_run(trajectory), "note": note})
            self._held = self._list()
        # what it held before it was written to comes first
        return tuple(self._held)

    def find(self, query: str, most: int) -> Mapping[str, float]:
        """By its rank: servers state no score that could be compared."""
        assert self._entry.search is not None  # `open_server` saw to that
        self._session.keep()
        given = self._session.read(self._entry.search, {"task": query, "k": most})
        ranks = rank_items(given, self._held, self._entry)
        # what it writes while it is read is dropped
        changed = self._session.has_written or self._list() != self._held
        if changed and not (self._session.drop_written() and self._list() == self._held):
            raise RunFault(
                "mcp: the memory server holds other items once it was read, and this cannot be put back;"
                " state names the file or folder that it works on"
            )
        return {name: 1 / place for place, name in enumerate(ranks, 1)}

    def texts(self) -> Mapping[str, str]:
        return {name: self._put.get(name, item.text) for name, item in self._held.items()}

    def put(self, id: str, text: str) -> None:
        """By the tool that updates an item; where none is named the text is shown in its place."""
        if self._entry.update is None:
            self._put[id] = text
            return
        self._session.write(self._entry.update, {"id": self._held[id].name, "text": text})
        self._held = self._list()

    def _list(self) -> dict[str, ListedItem]:
        return read_list(self._session.read(self._entry.list, {}), self._entry)
