"""What a user names as memory, as it is carried to an agent: a file, one with marks, or a memory server."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from memtrial.coding_agents.agent_record import AgentRecord, MemoryPlace, refuse_start
from memtrial.coding_agents.due_memory import expect_memory
from memtrial.coding_agents.memory_files import MemoryFile, find_memory_files
from memtrial.coding_agents.prompt_span import take_for_file
from memtrial.coding_trials.memory_carrier import MarkedMemory, MemoryCarrier, Way
from memtrial.commands.sandbox import Sandbox
from memtrial.delivery.memory_marks import MemoryMarks, UnbalancedFault, cut_spans
from memtrial.delivery.text_delivery import expect_text
from memtrial.faults import SpecFault
from memtrial.memory_relay.server_description import read_server
from memtrial.memory_relay.server_listing import ask_server

BESIDE = "{memory_file}"
"""In a command: the memory stands in a file outside of the work tree, whose path this is."""


def carry_for_record(record: AgentRecord, memory: Path, of_repository: bool = True) -> MemoryCarrier:
    """The memory file of a user, for an agent with a record: in its own place where the agent reads it there.

    Args:
        of_repository: work trees are those of a repository; else a file's place is seen from the nearest
            folder in which the agent would read it.

    Raises:
        SpecFault: it cannot be read, or imports a file that is taken away.
    """
    text = read_memory_text(memory)
    if not any(place.kind == "instructions" for place in record.places):
        return MemoryCarrier(take_for_file(text), "prompt")
    folders = _folders_above(memory)
    for source in folders[-1:] if of_repository else folders:
        inside = memory.resolve().relative_to(source).as_posix()
        for file in find_memory_files(record, source):
            if file.path == inside:
                return MemoryCarrier(file, "file")
    place = _place_named(record, memory.name)
    return MemoryCarrier(MemoryFile(place.pattern, place, "", text), "file")


def carry_for_server(
    record: AgentRecord | None, path: Path, variables: Mapping[str, str], sandbox: Sandbox = Sandbox()
) -> MemoryCarrier:
    """The memory behind the tools of a server, which is asked once for its items.

    Args:
        record: of the agent; None for a command.
        path: of the description of the server.
        sandbox: what holds the server meanwhile; in a trial it is held with the agent.

    Raises:
        SpecFault: the agent does not carry it, or the server cannot be used.
    """
    if record is not None:
        refuse_start(record, "mcp", "")
    server = ask_server(read_server(path, variables), sandbox)
    name = f"mcp:{server.server.name}"
    file = MemoryFile(name, MemoryPlace(name, "instructions"), "", "\n\n".join(server.items))
    return MemoryCarrier(file, "mcp", server=server)


def carry_for_command(command: str, memory: Path, of_repository: bool = True) -> MemoryCarrier:
    """The memory file of a user, for any command: beside the work tree where `{memory_file}` stands in it.

    Else it lies in the work tree as it does in the user's repository, and where work trees are of none
    (`of_repository`) as it does below the current folder, or under its name alone. SpecFault where it
    cannot be read.
    """
    text, place, here = read_memory_text(memory), memory.resolve(), Path.cwd()
    near = here if here in place.parents else place.parent
    source = _folders_above(memory)[-1] if of_repository else near
    name = place.relative_to(source).as_posix()
    way: Way = "file beside" if BESIDE in command else "file"
    return MemoryCarrier(MemoryFile(name, MemoryPlace(name, "instructions"), "", text), way)


def carry_between_marks(
    carrier: MemoryCarrier, marks: MemoryMarks, split: Callable[[str], tuple[str, ...]], is_command: bool
) -> MemoryCarrier:
    """The memory of a carrier, where the agent itself puts it between marks.

    A file with marks in it is shown in every condition, and the memory is what stands between them; one
    without holds the memory, and is shown to a command alone.

    Args:
        split: a text into its items.

    Raises:
        SpecFault: a mark of the file has no partner, nothing stands between them, or the client changes it.
    """
    file = carrier.file
    try:
        spans = [piece.span for piece in cut_spans(file.text, marks) if piece.span is not None]
    except UnbalancedFault as fault:
        raise SpecFault(
            f"each mark needs a partner; {file.path} has one without {fault.missing} mark"
        ) from None
    parts = [part.strip("\n") for part in spans or [file.text]]
    items = tuple(item.strip("\n") for part in parts for item in split(part) if item.strip())
    if not items:
        raise SpecFault(
            f"between {marks.opening} and {marks.closing} of {file.path} stands nothing to be tried"
        )
    for item in items:
        if expect_memory(file, item).lines != expect_text(item).lines:
            raise SpecFault(
                f"what stands between marks has to arrive as it is; the agent's client changes a part of"
                f" {file.path}, as a comment; take that out"
            )
    marked = MarkedMemory(marks, items, file.text if spans or is_command else "", carrier.way)
    return MemoryCarrier(replace(file, text="\n\n".join(items)), "marker", marked)


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


def _folders_above(memory: Path) -> tuple[Path, ...]:
    """Its folder and those above it, up to the repository that it lies in; without one its folder alone."""
    folder = memory.resolve().parent
    for n, above in enumerate((folder, *folder.parents)):
        if (above / ".git").exists():
            return (folder, *folder.parents[:n])
    return (folder,)
