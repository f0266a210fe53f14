"""How memory reaches a coding agent: as a file of its work tree, as a file beside it, within its task,
between marks in whatever it sends, or behind the tools of a server."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtrial.coding_agents.agent_record import ToolServer
from memtrial.coding_agents.due_memory import expect_memory
from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.coding_agents.memory_tree import MemoryRoots, write_memory
from memtrial.coding_agents.prompt_span import add_memory_span
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.text_delivery import DueText
from memtrial.memory_relay.relay_trial import RelayReport, lay_out, read_report
from memtrial.memory_relay.server_listing import ListedServer

Way = Literal["file", "file beside", "prompt", "marker", "mcp"]


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
        server: the memory server, where `mcp` is the way; else None.
    """

    file: MemoryFile
    way: Way
    marked: MarkedMemory | None = None
    server: ListedServer | None = None

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
            case "mcp":
                return "what its tools give"
        return "the task itself"

    @property
    def given(self) -> str | tuple[str, ...]:
        """The memory as it is: its text, or its items where these are known one by one."""
        if self.server is not None:
            return self.server.items
        return self.marked.items if self.marked else self.file.text

    @property
    def parts(self) -> tuple[str, ...]:
        """What tells this way from others."""
        if self.server is not None:
            return (self.way, self.server.server.entry.model_dump_json(), *self.server.prints.values())
        if self.marked is None:
            return (self.way,)
        marks = self.marked.marks
        return (self.way, self.marked.way, marks.opening, marks.closing, self.marked.whole)

    @property
    def telling(self) -> tuple[str, ...]:
        """The texts that stand in no request of a trial without memory."""
        return (self.file.text,) if self.server is None else self.server.items

    @property
    def shown(self) -> tuple[Path, ...]:
        """What an agent's client needs to read for it, wherever that works."""
        return () if self.server is None else self.server.server.shown

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

    def expect(self, item: str) -> DueText:
        """An item, or all, of what is shown as its client shows it."""
        return expect_memory(self.file, item)
