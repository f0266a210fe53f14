"""Injection `state`: an item of any schema enters when the observation retrieves it, and stays.

With native items this is the missing cell of schema × time of entry: an item comes up at its moment, and no
Trigger is needed (STATISTICS 0c.8). The moment is decided on the intact texts, as with Triggers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from loadbearing.arms.trigger_watch import Watched, Watching
from loadbearing.episodes.injection import Injection
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Moment
from loadbearing.models.embeddings.embedding import Array, HashingEmbedder


@dataclass(frozen=True, slots=True)
class ByState:
    """The factor level."""

    name: str = "state"
    by_trigger: bool = True
    needs_trigger: bool = False

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        return Watching(shown, watched)


@dataclass(frozen=True, slots=True)
class Nearest:
    """Holds while one item is, of all in its slot, the nearest to the observation by the words they share."""

    items: tuple[str, ...]
    number: int
    needs_action: bool = False

    @property
    def text(self) -> str:
        return self.items[self.number]

    def holds(self, moment: Moment) -> bool:
        """No other item is nearer; of equals the first."""
        return _nearest(self.items, moment.state) == self.number

    def why(self, moment: Moment) -> str:  # noqa: ARG002
        return "nearest to the state"


def watch_states(items: Sequence[str]) -> tuple[Watched, ...]:
    """Each item of an intact slot, watched by its text."""
    return tuple(Watched(number, Nearest(tuple(items), number), None) for number in range(len(items)))


@lru_cache(maxsize=4096)
def _nearest(items: tuple[str, ...], state: str) -> int | None:
    """The position of the item nearest to the state; None where no item shares a word with it."""
    similar = _vectors(items) @ HashingEmbedder().vectors([state])[0]
    at = int(similar.argmax())
    return at if similar[at] > 0 else None


@lru_cache(maxsize=256)
def _vectors(items: tuple[str, ...]) -> Array:
    return HashingEmbedder().vectors(items)
