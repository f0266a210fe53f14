"""Memory that somebody gave: a text, items, a file, a memory store, or a function of the task."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.faults import RunFault, SpecFault
from memtrial.memory.interchange.bank_file import BANK_FILE
from memtrial.memory.item import Item
from memtrial.memory.markdown import item_texts, render
from memtrial.plugins.code_identity import identity_of, place_of
from memtrial.plugins.load_plugin import Adapter, Expected
from memtrial.plugins.own_memory import MOST_READ, OF_A_STORE, OwnStore, RecallingMemory
from memtrial.prompts.plain_text import text_of
from memtrial.worlds.world import State, Task

TEXT_FILES = (".md", ".markdown", ".txt")
MOST_BYTES = 4 * 1024 * 1024
LONGEST_NAME = 500
NEEDED = (
    "a memory is a text, a list of texts or items, the path of a text file, a memory store, or a function of"
    " the task"
)
MADE = Expected(list[str | tuple[str, ...] | None], "a text, a list of texts or None")


@dataclass(frozen=True, slots=True)
class TextMemory:
    """The same items for every task; nothing is learnt."""

    items: tuple[str, ...]

    async def write(self, trajectory: Trajectory) -> None:
        """Nothing: it stays as it was given."""

    async def recall(self, task: Task, state: State) -> Slot:  # noqa: ARG002
        """All items, with the run's own cue line."""
        return Slot("", self.items) if self.items else NOTHING


@dataclass(frozen=True, slots=True)
class FunctionMemory:
    """What a user's function makes of a task, plain or async. RunFault where its code broke."""

    own: Adapter

    async def write(self, trajectory: Trajectory) -> None:
        """Nothing: a function learns nothing."""

    async def recall(self, task: Task, state: State) -> Slot:  # noqa: ARG002
        """Its texts, blank ones left out; nothing where there are none."""
        made = await self.own.ask(f"memory of task {task.id}", MADE, task)
        listed = (made,) if isinstance(made, str) else made or ()
        items = tuple(text for text in listed if text.strip())
        return Slot("", items) if items else NOTHING


@dataclass(frozen=True, slots=True)
class GivenMemory:
    """A memory that was given, ready to be opened.

    Args:
        digest: sha256 of its texts, or of the code that makes them.
        fixed: every task is shown the same.
    """

    open: Callable[[], RecallingMemory]
    digest: str
    fixed: bool


def read_memory(given: object, version: str = "") -> GivenMemory:
    """The memory behind what was given.

    Args:
        version: what tells the code of a store or a function from another, where nothing else does.

    Raises:
        SpecFault: nothing that holds memory, a file that cannot be read, or a blank text.
    """
    if isinstance(given, Path):
        return _hold_items(item_texts(read_text(given)), str(given))
    if isinstance(given, str):
        if is_text_file(given) and len(given) < LONGEST_NAME and not any(map(str.isspace, given)):
            raise SpecFault(
                f"{NEEDED}; {given!r} would be the text itself: give Path({given!r}) for the file"
            )
        return _hold_items(item_texts(given), "the text")
    if isinstance(given, Sequence):
        return _hold_items(tuple(_text_of(entry) for entry in given), "the list")
    if all(callable(getattr(given, method, None)) for method in OF_A_STORE):
        digest = identity_of(given, version, "the memory store")
        return GivenMemory(lambda: OwnStore(Adapter(given, place_of(given)), MOST_READ), digest, False)
    if callable(given):
        digest = identity_of(given, version, "the memory")
        return GivenMemory(lambda: FunctionMemory(Adapter(given, place_of(given), RunFault)), digest, False)
    raise SpecFault(f"{NEEDED}; got {type(given).__name__}")


def is_text_file(name: str) -> bool:
    """Whether a memory is named by the path of a text file, instead of by an object of Python."""
    return name.endswith(TEXT_FILES)


def is_memory_file(name: str) -> bool:
    """Whether a memory is named by the path of a file: a text, or a bank (see `memory.interchange`)."""
    return is_text_file(name) or name.endswith(BANK_FILE)


def read_text(path: Path) -> str:
    """The text of a memory's file; SpecFault where it cannot be read, or is blank."""
    return text_of(path, "a memory is read from a text file in UTF-8", SpecFault, MOST_BYTES)


def _hold_items(items: tuple[str, ...], where: str) -> GivenMemory:
    # blank lines between items are the block's, not theirs
    items = tuple(item.strip("\n") for item in items if item.strip())
    if not items:
        raise SpecFault(f"{NEEDED}; {where} is blank")
    digest = sha256("\0".join(items).encode("utf-8", "surrogatepass")).hexdigest()
    return GivenMemory(lambda: TextMemory(items), digest, True)


def _text_of(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Item):
        return render(entry)
    raise SpecFault(f"{NEEDED}; the list holds a {type(entry).__name__}")
