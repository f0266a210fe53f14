"""How a slot reaches the agent: the levels of a factor. Each makes one episode's injection of the texts that
are `shown` and of the intact items that are `watched`, in the same order.

When an item comes up is decided on the intact item; damage touches only the text shown. Otherwise a damaged
Trigger would turn corrupt into without (DESIGN 3).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from loadbearing.arms.trigger_watch import Watched, Watching
from loadbearing.episodes.injection import Injection
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Moment
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.markdown import parse_all
from loadbearing.memory.trigger import Trigger, TriggerFault, compile_form
from loadbearing.models.embeddings.embedding import Array, HashingEmbedder


@dataclass(frozen=True, slots=True)
class Prepend:
    """The slot is in the system prompt for the whole episode, as in the upstream code.

    The watched items only log, unseen, what would come up and which checks break.
    """

    name: str = "prepend"
    by_trigger: bool = False
    needs_trigger: bool = False

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        return Watching(shown, watched, at_once=True)


@dataclass(frozen=True, slots=True)
class ByTrigger:
    """An item enters when its Trigger matches the moment, and stays (fork A, arm b)."""

    name: str = "trigger"
    by_trigger: bool = True
    needs_trigger: bool = True

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        return Watching(shown, watched)


@dataclass(frozen=True, slots=True)
class Enforce:
    """As by trigger, and the checks that items state are executed (fork A, arm c).

    A proposed action that breaks a check while the item's Trigger holds is withheld with the item's text, and
    the agent is asked once more; what it then proposes is carried out. A check is tried at every proposal. It
    is executed as shown: damage to it changes what the program does. Otherwise damage could reach the
    explanation alone, and the drop would leave out the program's own part. A shown text without a check that
    can be evaluated executes none, and still comes up by its Trigger.
    """

    name: str = "enforce"
    by_trigger: bool = True
    needs_trigger: bool = True

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        texts = shown.items
        as_shown = (
            replace(one, check=check_of(texts[one.item]) if one.item < len(texts) else None)
            for one in watched
        )
        return Watching(shown, tuple(as_shown), executed=True)


@lru_cache(maxsize=4096)  # every episode asks again
def check_of(text: str) -> Trigger | None:
    """The check that a shown text states; None for a heuristic, and where nothing can be evaluated."""
    items = parse_all(text)
    if len(items) != 1 or not isinstance(items[0], TheoryItem):
        return None
    try:
        return compile_form(items[0].form)
    except TriggerFault:
        return None


@dataclass(frozen=True, slots=True)
class Yoked:
    """Whenever an item would come up by trigger, the next one of its slot does in its place.

    What may enter, how much of it and at which moments is as by trigger; which text comes at which moment is
    not. So the difference of the two is what the timing of the content is worth (STATISTICS 0c.8). A firing
    names the item that comes up, and the cues of the one whose moment it was. A slot of one item shows
    nothing.
    """

    name: str = "yoked"
    by_trigger: bool = True
    needs_trigger: bool = True

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        n = len(shown.items)
        others = tuple(replace(one, item=(one.item + 1) % n) for one in watched) if n > 1 else ()
        return Watching(shown, others)


@dataclass(frozen=True, slots=True)
class ByState:
    """An item of any schema enters when the observation retrieves it, and stays.

    With native items this is the missing cell of schema × time of entry: an item comes up at its moment, and
    no Trigger is needed (STATISTICS 0c.8).
    """

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
