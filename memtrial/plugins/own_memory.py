"""A user's memory system behind the adapter: a store, or a class that observes and recalls.

A store keeps its items open: `write`, `read`, `list` and `replace`, as `MemoryStore` of
`memtrial/protocols.py`. A class with `observe` and `recall` keeps them to itself; what it recalled so far is
what a store can say of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.faults import RunFault, SpecFault
from memtrial.memory.stored_item import StoredItem, replace_text
from memtrial.models.client.client import Caller
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.load_plugin import Adapter, Ask, Expected, UserCode, make, refuse_lacking
from memtrial.plugins.shipped_memory import is_shipped, most_shown, open_shipped
from memtrial.protocols import Embedder
from memtrial.worlds.world import State, Task

OF_A_STORE = ("write", "read", "list", "replace")
OF_A_SYSTEM = ("observe", "recall")
MOST_READ = 1_000
"""Items of a store that are asked for at most where a slot is not bounded by a number."""
MOST_CHARACTERS = 1 << 20
"""Of one text: more than any model reads, and enough to hold a run up for hours."""
HASHING = HashingEmbedder()
NOTHING_BACK = Expected(list[Any], "nothing")
ITEMS = Expected(list[tuple[StoredItem, ...]], "a list of StoredItem(id, text, score)")


class RecallingMemory(Protocol):
    """Whatever has a slot for each task: it sees the trajectories first, and is then asked."""

    async def write(self, trajectory: Trajectory) -> None: ...

    async def recall(self, task: Task, state: State) -> Slot: ...


RECALLED = Expected(
    list[str | tuple[str, ...] | Slot | None],
    "a text, a list of texts, None, or a Slot(items=(text, ...))",
)


@dataclass
class OwnSystem:
    """A user's class with `observe` and `recall`, as a store of what it has recalled."""

    own: Adapter
    _texts: dict[str, str] = field(default_factory=dict)

    async def write(self, trajectory: Trajectory) -> None:
        """Let it observe one trajectory, a success or a failure."""
        where = f"observe of {self.own.source}, trace {trajectory.trace_id},"
        await self.own.ask(where, NOTHING_BACK, trajectory, method="observe")

    async def recall(self, task: Task, state: State) -> Slot:
        """What it would show an agent that begins this task in this state; nothing where nothing fits.

        Blank texts are left out. A slot without a cue line gets the cue line of the spec.
        """
        where = f"recall of {self.own.source}, task {task.id},"
        made = await self.own.ask(where, RECALLED, task, state, method="recall")
        cue, texts = (made.cue, made.items) if isinstance(made, Slot) else ("", made or ())
        items = tuple(text for text in ((texts,) if isinstance(texts, str) else texts) if text.strip())
        _refuse_huge(where, items)
        if not items:
            return NOTHING
        return Slot(cue, tuple(self._texts.setdefault(_id_of(text), text) for text in items))

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        """The first k texts that it recalls, each once; it says nothing of how well they fit."""
        slot = await self.recall(task, state)
        shown = {text: name for name, text in self._texts.items()}
        ids = dict.fromkeys(shown[text] for text in slot.items)
        return tuple(StoredItem(name, self._texts[name]) for name in ids)[:k]

    def list(self) -> tuple[StoredItem, ...]:
        """The texts that it recalled so far."""
        return tuple(StoredItem(name, text) for name, text in self._texts.items())

    def replace(self, id: str, text: str) -> None:
        """Show another text wherever it recalls this one; MemoryFault where it recalled no such text."""
        replace_text(self._texts, id, text)


@dataclass(frozen=True, slots=True)
class OwnStore:
    """A user's store; its methods are plain or async. RunFault where its code broke."""

    own: Adapter
    k: int = MOST_READ

    @property
    def takes_damage(self) -> bool:
        """Whether it composes what it shows, so that damage is done in it. SpecFault: it says neither."""
        with UserCode(f"{self.own.source}: a look at takes_damage", SpecFault, self.own.source):
            takes = getattr(self.own.thing, "takes_damage", False)
        if not isinstance(takes, bool):
            raise SpecFault(f"{self.own.source}: takes_damage is True or False; got {takes!r:.60}")
        return takes

    async def write(self, trajectory: Trajectory) -> None:
        where = f"write of {self.own.source}, trace {trajectory.trace_id},"
        await self.own.ask(where, NOTHING_BACK, trajectory, method="write")

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        """At most k items, the best first; a RunFault where it gives more."""
        where = f"read of {self.own.source}, task {task.id},"
        items = await self.own.ask(where, ITEMS, task, state, k, method="read")
        if len(items) > k:
            raise RunFault(f"{where} returned {len(items)} items; at most {k} were asked for")
        _refuse_huge(where, [item.text for item in items])
        return items

    async def recall(self, task: Task, state: State) -> Slot:
        """The slot of a task: the texts that it reads for it, blank ones left out."""
        items = await self.read(task, state, self.k)
        texts = tuple(item.text for item in items if item.text.strip())
        return Slot("", texts) if texts else NOTHING

    def list(self) -> tuple[StoredItem, ...]:
        return self.own.call(f"list of {self.own.source}", ITEMS, method="list")

    def replace(self, id: str, text: str) -> None:
        self.own.call(f"replace of {self.own.source}", NOTHING_BACK, id, text, method="replace")


OwnMemory = OwnSystem | OwnStore


def load_memory(
    source: str, caller: Caller, seed: int, k: int = MOST_READ, embedder: Embedder = HASHING
) -> OwnMemory:
    """A fresh memory system that has seen nothing; a SpecFault where it cannot be loaded.

    Args:
        k: items of a store that are shown at most; a class that recalls decides by itself.
        embedder: of a system that ships.
    """
    if is_shipped(source):
        shipped = open_shipped(source, caller, embedder)
        return OwnStore(Adapter(shipped, source), most_shown(source, k, MOST_READ))
    thing = make(source, {"ask": Ask(caller), "seed": seed})
    with UserCode(f"{source} cannot be a memory system: a look at its methods", SpecFault, source):
        is_store = callable(getattr(thing, "read", None))
    if is_store:
        refuse_lacking(thing, source, "a memory store", OF_A_STORE)
        return OwnStore(Adapter(thing, source), k)
    refuse_lacking(thing, source, "a memory system", OF_A_SYSTEM)
    return OwnSystem(Adapter(thing, source))


def _refuse_huge(where: str, texts: Sequence[str]) -> None:
    longest = max(map(len, texts), default=0)
    if longest > MOST_CHARACTERS:
        raise RunFault(
            f"{where} returned a text of {longest:,} characters; at most {MOST_CHARACTERS:,} are shown: give"
            " shorter items"
        )


def _id_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
