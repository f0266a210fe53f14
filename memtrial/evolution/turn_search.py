"""An episode whose bank is searched again whenever what is observed meets an item's signs."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field

from memtrial.agents.slot import BrokenCheck, Firing
from memtrial.agents.trajectory import Moment
from memtrial.memory.bank.search.turn_signs import TurnRanking

SearchTurn = Callable[[Moment, Collection[str]], Awaitable[TurnRanking | None]]
"""What comes up at a moment, of the items that have not come up yet, by id; None where no sign is met."""


@dataclass(frozen=True, slots=True)
class EnteredItems:
    """A search in the midst of an episode, in a turn counted from 0."""

    step: int
    search: TurnRanking


@dataclass
class TurnSearch:
    """One episode's memory: a text from the start, and items that enter when their signs are met, and stay.

    An item that a floor of the profile withholds is looked at once.

    Args:
        block: the text from the start; empty for none.
        shown: ids of the items in it.
    """

    block: str
    shown: tuple[str, ...]
    search: SearchTurn
    entered: list[EnteredItems] = field(default_factory=list, init=False)
    _passed: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._passed.extend(self.shown)

    async def look(self, step: int, moment: Moment) -> None:
        """Search the bank for what is observed."""
        made = await self.search(moment, self._passed)
        if made is not None:
            self.entered.append(EnteredItems(step, made))
            self._passed += [hit.id for hit in made.ranking.hits] or made.met

    def opening(self) -> str:
        return self.block

    def turn(self, step: int, moment: Moment) -> str:  # noqa: ARG002
        """What came up in this turn."""
        blocks = (turn.search.ranking.block for turn in self.entered if turn.step == step)
        return "\n\n".join(filter(None, blocks))

    def proposal(self, step: int, moment: Moment) -> str:  # noqa: ARG002
        """Nothing: items wait for what is observed alone."""
        return ""

    def firings(self) -> tuple[Firing, ...]:
        """Each item that entered; its position is behind those from the start."""
        hits = [(turn, hit) for turn in self.entered for hit in turn.search.ranking.hits]
        return tuple(
            Firing(turn.step, place, turn.search.met[hit.id], shown=True)
            for place, (turn, hit) in enumerate(hits, len(self.shown))
        )

    def broken(self) -> tuple[BrokenCheck, ...]:
        return ()
