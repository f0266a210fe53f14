"""The memory that somebody named, and the way in which it is to reach the agent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtrial.coding_agents.agent_record import AgentRecord
from memtrial.coding_trials.carried_memory import (
    carry_between_marks,
    carry_for_command,
    carry_for_record,
    carry_for_server,
)
from memtrial.coding_trials.memory_carrier import MemoryCarrier
from memtrial.commands.sandbox import Sandbox
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.span_items import SpanItems
from memtrial.faults import SpecFault
from memtrial.memory.markdown import item_texts
from memtrial.repositories.coding_task import CodingTask

MARKER, MCP = "marker:", "mcp:"
SERVERS_FILE = "{mcp_config}"
"""In a command: a file that names the memory server."""


@dataclass(frozen=True, slots=True)
class MemoryChoice:
    """A file, and how it is carried.

    Args:
        marks: what the agent itself puts around the memory; None where the file goes to its own place.
        variables: that the description of a memory server may name; None where the file is the memory.
        sandbox: what holds the server while it is asked for its items.
        of_repository: the work trees are those of a repository, where the file has its place.
    """

    path: Path
    marks: MemoryMarks | None = None
    variables: Mapping[str, str] | None = None
    sandbox: Sandbox = Sandbox()
    of_repository: bool = True

    @property
    def is_plain(self) -> bool:
        """The file itself is what the agent reads."""
        return self.marks is None and self.variables is None

    def carry(self, record: AgentRecord | None, command: str) -> MemoryCarrier:
        """How it reaches an agent with a record, or a command. SpecFault where it cannot."""
        if self.variables is not None:
            return self._carry_server(record, command, self.variables)
        carrier = (
            carry_for_command(command, self.path, self.of_repository)
            if record is None
            else carry_for_record(record, self.path, self.of_repository)
        )
        if self.marks is None:
            return carrier
        marked = carry_between_marks(carrier, self.marks, item_texts, record is None)
        SpanItems(list_items(marked.given), ())  # refuses items that cannot be told apart
        return marked

    def _carry_server(
        self, record: AgentRecord | None, command: str, variables: Mapping[str, str]
    ) -> MemoryCarrier:
        if record is None and SERVERS_FILE not in command:
            raise SpecFault(
                f"a command gets the memory server by {SERVERS_FILE}, a file as .mcp.json;"
                f" got {command!r:.200}"
            )
        return carry_for_server(record, self.path, variables, self.sandbox)

    def refuse_unmarked(self, carrier: MemoryCarrier, tasks: Iterable[CodingTask]) -> None:
        """SpecFault where neither the file nor a task has marks, and no command could add them."""
        if self.marks is None or (carrier.marked and carrier.marked.whole):
            return
        if not any(self.marks.opening in task.instructions for task in tasks):
            raise SpecFault(
                f"a span is replaced between {self.marks.opening} and {self.marks.closing}; neither"
                f" {self.path.name} nor a task has them; put them around the memory in one of these"
            )


def read_choice(
    memory: str | Path,
    marks: tuple[str, str],
    variables: Mapping[str, str],
    sandbox: Sandbox = Sandbox(),
) -> MemoryChoice:
    """A file by its path, `marker:FILE`, or `mcp:FILE`. SpecFault where the marks cannot be used."""
    named = str(memory)
    if named.startswith(MCP):
        return MemoryChoice(Path(named.removeprefix(MCP)), None, variables, sandbox)
    if not named.startswith(MARKER):
        return MemoryChoice(Path(memory))
    return MemoryChoice(Path(named.removeprefix(MARKER)), MemoryMarks(*marks))


def list_items(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """The items of a memory, as they are damaged."""
    return item_texts(given) if isinstance(given, str) else given
