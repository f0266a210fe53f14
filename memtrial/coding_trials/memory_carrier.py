"""How memory reaches a coding agent: as a file of its work tree, as a file beside it, or within its task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtrial.coding_agents.agent_record import AgentRecord, MemoryPlace, ToolServer, refuse_start
from memtrial.coding_agents.memory_delivery import measure_share, prove_memory
from memtrial.coding_agents.memory_files import MemoryFile, find_memory_files
from memtrial.coding_agents.memory_tree import MemoryRoots, write_memory
from memtrial.coding_agents.prompt_span import add_memory_span, take_for_file
from memtrial.coding_agents.request_texts import list_shown_texts
from memtrial.faults import SpecFault
from memtrial.memory_relay.relay_trial import RelayReport, lay_out, read_report
from memtrial.memory_relay.server_description import read_server
from memtrial.memory_relay.server_listing import ListedServer, ask_server

Way = Literal["file", "file beside", "prompt", "mcp"]
BESIDE = "{memory_file}"
"""In a command: the memory stands in a file outside of the work tree, whose path this is."""


@dataclass(frozen=True, slots=True)
class MemoryCarrier:
    """Where the memory on trial goes.

    Args:
        file: with the memory as it is.
        way: `file` is one of the work tree, which the agent reads by itself.
        server: the memory server, by the way `mcp`.
    """

    file: MemoryFile
    way: Way
    server: ListedServer | None = None

    @property
    def says(self) -> str:
        """Where it goes, for people."""
        match self.way:
            case "file":
                return f"{self.file.path} of each work tree"
            case "file beside":
                return "a file beside each work tree"
            case "mcp":
                return "what its tools give"
        return "the task itself"

    def put(self, roots: MemoryRoots, shown: str) -> None:
        """Write what is shown into a fresh work tree; an empty text is no file. Raises as `write_memory`."""
        if self.way == "file":
            write_memory(roots, (self.file,), {self.file.path: shown} if shown.strip() else {})

    @property
    def marks(self) -> tuple[str, ...]:
        """What tells this way of giving memory from another."""
        if self.server is None:
            return (self.way, self.file.path)
        entry, prints = self.server.server.entry, self.server.prints
        return (self.way, self.file.path, entry.model_dump_json(), *prints.values())

    def serve(self, given: Path, items: Sequence[str]) -> ToolServer | None:
        """The relay that an agent's client is to start, laid out in a folder; None by any other way.

        Raises:
            SpecFault: the server's state cannot be copied.
            OSError: nothing can be written.
        """
        if self.server is None:
            return None
        return ToolServer(self.server.server.name, lay_out(self.server, given, items))

    def read_relay(self, given: Path, items: Sequence[str]) -> RelayReport | None:
        """What passed through the relay of a trial that showed these items; None by any other way."""
        return None if self.server is None else read_report(given, items, len(self.server.items))

    def add_to(self, prompt: str, shown: str) -> str:
        """The task, with the memory in front of it where that is the way."""
        return add_memory_span(prompt, shown) if self.way == "prompt" else prompt

    def is_in(self, body: bytes, shown: str) -> bool:
        """Whether all that was shown stands in a request."""
        return bool(shown.strip()) and prove_memory(self.file, shown, (body,)).share == 1.0

    def leaks_into(self, bodies: Sequence[bytes]) -> bool:
        """Whether the memory as it is stands in some request, in a trial that shows none of it."""
        wanted = tuple(line for line in map(str.strip, self.file.text.splitlines()) if line)
        if self.server is not None:
            texts = [shown for body in bodies for shown in list_shown_texts(body)]
            return any(len(item) > SHORT and item in text for item in self.server.items for text in texts)
        # a single short line may well stand in the sources, too
        return len(self.file.text) > SHORT and any(
            measure_share(wanted, shown) == 1.0 for body in bodies for shown in list_shown_texts(body)
        )


SHORT = 120
"""Characters of a memory whose whole text may stand elsewhere by chance."""


def carry_for_record(record: AgentRecord, memory: Path) -> MemoryCarrier:
    """The memory file of a user, for an agent with a record: in its own place where the agent reads it there.

    Raises:
        SpecFault: it cannot be read, or imports a file that is taken away.
    """
    text = read_memory_text(memory)
    if not any(place.kind == "instructions" for place in record.places):
        return MemoryCarrier(take_for_file(text), "prompt")
    source = _folder_above(memory)
    inside = memory.resolve().relative_to(source).as_posix()
    for file in find_memory_files(record, source):
        if file.path == inside:
            return MemoryCarrier(file, "file")
    place = _place_named(record, memory.name)
    return MemoryCarrier(MemoryFile(place.pattern, place, "", text), "file")


def carry_for_server(record: AgentRecord | None, path: Path, variables: Mapping[str, str]) -> MemoryCarrier:
    """The memory behind the tools of a server, which is asked once for its items.

    Args:
        record: of the agent; None for a command.
        path: of the description of the server.

    Raises:
        SpecFault: the agent does not carry it, or the server cannot be used.
    """
    if record is not None:
        refuse_start(record, "mcp", "")
    server = ask_server(read_server(path, variables))
    name = f"mcp:{server.server.name}"
    return MemoryCarrier(
        MemoryFile(name, MemoryPlace(name, "instructions"), "", "\n\n".join(server.items)), "mcp", server
    )


def carry_for_command(command: str, memory: Path) -> MemoryCarrier:
    """The memory file of a user, for any command: beside the work tree where `{memory_file}` stands in it.

    Else it lies in the work tree as it does in the user's repository. SpecFault where it cannot be read.
    """
    text, source = read_memory_text(memory), _folder_above(memory)
    name = memory.resolve().relative_to(source).as_posix()
    way: Way = "file beside" if BESIDE in command else "file"
    return MemoryCarrier(MemoryFile(name, MemoryPlace(name, "instructions"), "", text), way)


def read_memory_text(memory: Path) -> str:
    """Its text, line breaks as they are; SpecFault where it is none, or blank."""
    needed = "memory is a text file in UTF-8"
    try:
        text = memory.read_bytes().decode("utf-8") if memory.is_file() else ""
    except UnicodeDecodeError:
        raise SpecFault(f"{needed}; {memory} is not; convert it") from None
    except OSError as fault:
        raise SpecFault(f"{needed}; {memory} cannot be read: {fault.strerror}") from fault
    if not memory.is_file():
        raise SpecFault(f"{needed}; {memory} is {'no file' if memory.exists() else 'not there'}")
    if not text.strip():
        raise SpecFault(f"{needed}; {memory} is blank, and there is nothing to try")
    return text


def _place_named(record: AgentRecord, name: str) -> MemoryPlace:
    """The place whose file has this name; else the first of instructions."""
    plain = [place for place in record.places if place.kind == "instructions" and "*" not in place.pattern]
    return next((place for place in plain if place.pattern == name), plain[0])


def _folder_above(memory: Path) -> Path:
    """The repository that a file lies in; else its folder."""
    folder = memory.resolve().parent
    for above in (folder, *folder.parents):
        if (above / ".git").exists():
            return above
    return folder
