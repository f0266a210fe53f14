"""The memory that somebody named, and the way in which it is to reach the agent."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memtrial.coding_trials.agent_starter import describe_task
from memtrial.coding_trials.memory_carrier import MemoryCarrier, carry_between_marks
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.span_items import SpanItems
from memtrial.faults import SpecFault
from memtrial.memory.markdown import item_texts
from memtrial.repositories.coding_task import CodingTask

MARKER = "marker:"


@dataclass(frozen=True, slots=True)
class MemoryChoice:
    """A file, and how it is carried.

    Args:
        marks: what the agent itself puts around the memory; None where the file goes to its own place.
    """

    path: Path
    marks: MemoryMarks | None = None

    def carry(self, carrier: MemoryCarrier, is_command: bool) -> MemoryCarrier:
        """The way that was asked for, made of the one that is usual. SpecFault where there is none."""
        if self.marks is None:
            return carrier
        marked = carry_between_marks(carrier, self.marks, item_texts, is_command)
        SpanItems(list_items(marked.given), ())  # refuses items that cannot be told apart
        return marked

    def refuse_unmarked(self, carrier: MemoryCarrier, tasks: Iterable[CodingTask]) -> None:
        """SpecFault where neither the file nor a task has marks, and no command could add them."""
        if self.marks is None or (carrier.marked and carrier.marked.whole):
            return
        if not any(self.marks.opening in describe_task(task) for task in tasks):
            raise SpecFault(
                f"a span is replaced between {self.marks.opening} and {self.marks.closing}; neither"
                f" {self.path.name} nor a task has them; put them around the memory in one of these"
            )


def read_choice(memory: str | Path, marks: tuple[str, str]) -> MemoryChoice:
    """A file by its path, or `marker:FILE`. SpecFault where the marks cannot be used."""
    named = str(memory)
    if not named.startswith(MARKER):
        return MemoryChoice(Path(memory))
    return MemoryChoice(Path(named.removeprefix(MARKER)), MemoryMarks(*marks))


def list_items(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """The items of a memory, as they are damaged."""
    return item_texts(given) if isinstance(given, str) else given
