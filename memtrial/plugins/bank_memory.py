"""A bank of a file as an arm's memory: a task is shown the records whose queries are nearest to its own."""

from dataclasses import dataclass
from pathlib import Path

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank_store import BankStore
from memtrial.memory.interchange.bank_file import read_bank_file
from memtrial.memory.record_text import show_records
from memtrial.memory.retrieval import LeaveOut
from memtrial.protocols import Embedder
from memtrial.worlds.world import State, Task


@dataclass(frozen=True, slots=True)
class BankMemory:
    """A frozen bank; it learns nothing. A task is never shown its own record.

    Args:
        k: records that a task is shown.
    """

    store: BankStore
    k: int

    async def write(self, trajectory: Trajectory) -> None:
        """Nothing: the bank stays as it is."""

    async def recall(self, task: Task, state: State) -> Slot:  # noqa: ARG002
        """What the nearest records hold, as it stands in the bank, with the run's own cue line."""
        (rows,) = (await self.store.search((task,), self.k)).rows
        bank = self.store.bank
        texts = show_records([bank.records[row.place] for row in rows], bank.layout)
        return Slot("", texts) if any(text.strip() for text in texts) else NOTHING


def open_bank_memory(path: Path, embedder: Embedder, k: int, leave_out: LeaveOut) -> BankMemory:
    """The memory of a bank's file; SpecFault where it cannot be read."""
    return BankMemory(BankStore(embedder, read_bank_file(path).bank, leave_out), k)
