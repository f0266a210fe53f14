"""Fills the places of a ranking turn by turn, within the budget of tokens."""

from dataclasses import dataclass, field

from memtrial.memory.bank.preambles.shown_block import show_block
from memtrial.memory.bank.ranking.item_floors import Mask
from memtrial.memory.bank.ranking.item_key import record_of
from memtrial.memory.bank.ranking.ranked_hit import Hit, PassedItem
from memtrial.memory.bank.ranking.scored_pool import ScoredPool
from memtrial.memory.bank.ranking.selection import Choice, Selection
from memtrial.memory.bank.ranking.tokenizer import count_tokens


@dataclass
class FilledPlaces:
    """What was chosen so far, and what did not fit.

    Args:
        n_filled: places that are taken, of records or of items.
    """

    scored: ScoredPool
    hits: list[Hit] = field(default_factory=list)
    passed: list[PassedItem] = field(default_factory=list)
    n_filled: int = 0
    _tried: list[int] = field(default_factory=list, init=False)
    _selection: Selection = field(init=False)

    def __post_init__(self) -> None:
        self._selection = Selection(self.scored.scores, self.scored.profile.diversity)

    def fill(self, allowed: Mask, until: int, probation: bool = False) -> None:
        """Give places to the best allowed until so many are taken; what does not fit is passed over."""
        left = allowed.copy()
        left[self._tried] = False
        while self.n_filled < until and (choice := self._selection.best(left)) is not None:
            mates = self._mates(choice, left) if self.scored.profile.unit == "record" else (choice,)
            left[[mate.place for mate in mates]] = False
            self._tried += [mate.place for mate in mates]
            fitting = [mate.place for mate in mates if self._take(mate, probation)]
            if fitting:
                self.n_filled += 1
                self._selection.take(fitting[0])

    def _mates(self, choice: Choice, left: Mask) -> tuple[Choice, ...]:
        """All items of a record that may be shown, in the order in which they were made."""
        pool, query = self.scored.scores.pool, self.scored.scores.query
        items = pool.items
        record = record_of(items[choice.place])
        places = [place for place in left.nonzero()[0].tolist() if record_of(items[place]) == record]
        places.sort(key=lambda place: pool.ids[place])
        return tuple(
            Choice(place, choice.value, choice.nearest, pool.cosine(place, query)) for place in places
        )

    def _take(self, choice: Choice, probation: bool) -> bool:
        hit = self.scored.hit(choice, self._selection, probation=probation)
        profile = self.scored.profile
        if profile.budget is not None:
            block = show_block([*(kept.item for kept in self.hits), hit.item], profile.preamble)
            count = count_tokens(block, profile.budget.tokenizer)
            if not profile.budget.holds(count):
                self.passed.append(PassedItem(hit.id, hit.score, count))
                return False
        self.hits.append(hit)
        return True
