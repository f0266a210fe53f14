"""How memory reaches a coding agent: as a file of its work tree, as a file beside it, within its task, or
between marks in whatever it sends."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from memtrial.coding_agents.agent_record import AgentRecord, MemoryPlace
from memtrial.coding_agents.due_memory import expect_memory
from memtrial.coding_agents.memory_files import MemoryFile, find_memory_files
from memtrial.coding_agents.memory_tree import MemoryRoots, write_memory
from memtrial.coding_agents.prompt_span import add_memory_span, take_for_file
from memtrial.delivery.memory_marks import MemoryMarks, UnbalancedFault, cut_spans
from memtrial.delivery.text_delivery import DueText, expect_text
from memtrial.faults import SpecFault

Way = Literal["file", "file beside", "prompt", "marker"]
BESIDE = "{memory_file}"
"""In a command: the memory stands in a file outside of the work tree, whose path this is."""


@dataclass(frozen=True, slots=True)
class MarkedMemory:
    """Memory that the agent has by itself, and puts between marks in what it sends.

    Args:
        items: as they are.
        whole: the text of the file, with its marks, that the agent gets in every condition; empty where it
            gets none.
        way: by which it gets that.
    """

    marks: MemoryMarks
    items: tuple[str, ...]
    whole: str
    way: Way


@dataclass(frozen=True, slots=True)
class MemoryCarrier:
    """Where the memory on trial goes.

    Args:
        file: with the memory as it is.
        way: `file` is one of the work tree, which the agent reads by itself; by `marker` the agent has the
            memory in every condition, and the proxy writes what it sends anew.
        marked: where that is the way; else None.
    """

    file: MemoryFile
    way: Way
    marked: MarkedMemory | None = None

    @property
    def says(self) -> str:
        """Where it goes, for people."""
        match self.way:
            case "file":
                return f"{self.file.path} of each work tree"
            case "file beside":
                return "a file beside each work tree"
            case "marker":
                return "what stands between marks in the agent's requests"
        return "the task itself"

    @property
    def given(self) -> str | tuple[str, ...]:
        """The memory as it is: its text, or its items where these are known one by one."""
        return self.marked.items if self.marked else self.file.text

    @property
    def parts(self) -> tuple[str, ...]:
        """What tells this way from others."""
        marked = self.marked
        return (
            (self.way, marked.way, marked.marks.opening, marked.marks.closing, marked.whole)
            if marked
            else (self.way,)
        )

    def put(self, roots: MemoryRoots, shown: str) -> None:
        """Write what is shown into a fresh work tree; an empty text is no file. Raises as `write_memory`."""
        if self.way == "file":
            write_memory(roots, (self.file,), {self.file.path: shown} if shown.strip() else {})
        elif self.marked and self.marked.way == "file":
            whole = self.marked.whole
            write_memory(roots, (self.file,), {self.file.path: whole} if whole else {})

    def put_beside(self, shown: str) -> str:
        """What the file beside the work tree holds."""
        if self.marked and self.marked.way == "file beside":
            return self.marked.whole
        return shown if self.way == "file beside" else ""

    def add_to(self, prompt: str, shown: str) -> str:
        """The task, with the memory in front of it where that is the way."""
        return add_memory_span(prompt, shown) if self.way == "prompt" else prompt

    def expect(self, item: str) -> DueText:
        """An item, or all, of what is shown as its client shows it."""
        return expect_memory(self.file, item)


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


def carry_for_command(command: str, memory: Path) -> MemoryCarrier:
    """The memory file of a user, for any command: beside the work tree where `{memory_file}` stands in it.

    Else it lies in the work tree as it does in the user's repository. SpecFault where it cannot be read.
    """
    text, source = read_memory_text(memory), _folder_above(memory)
    name = memory.resolve().relative_to(source).as_posix()
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


def _folder_above(memory: Path) -> Path:
    """The repository that a file lies in; else its folder."""
    folder = memory.resolve().parent
    for above in (folder, *folder.parents):
        if (above / ".git").exists():
            return above
    return folder
