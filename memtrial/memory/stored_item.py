"""An item as a memory store gives it out, and the fault of asking a store for what it does not have."""

from dataclasses import dataclass


class MemoryFault(RuntimeError):
    """A memory store has no such item, or cannot do what was asked of it. The message is one line."""


@dataclass(frozen=True, slots=True)
class StoredItem:
    """One item of a memory store.

    Args:
        id: names it in its store, whatever its text becomes.
        text: as an agent is shown it.
        score: how well it fits what was asked for, higher is better; 0 where nothing was asked.
    """

    id: str
    text: str
    score: float = 0.0


def replace_text(texts: dict[str, str], name: str, text: str) -> None:
    """Put a text in the place of that of an item that is there; MemoryFault for any other."""
    if name not in texts:
        some = ", ".join(repr(known) for known in list(texts)[:3]) or "nothing"
        raise MemoryFault(f"the id of an item in the store is needed; got {name!r}; it holds {some}")
    texts[name] = text
