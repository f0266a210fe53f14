"""Choosing items in turn: the best of those left, less what it repeats of those chosen.

Each turn is decided in single precision for all items, and in double precision for those that may be best. So
the same items are chosen in whatever order they stand, at the cost of one product of a matrix with a vector
for each. Values that differ by no more than 1e-9 are equal, and the lowest id goes first.

Source: maximal marginal relevance, seeds/003 section 3; diversity counts here and not in the score as well
(REQUIREMENTS C7).
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.ranking.item_pool import ItemPool
from memtrial.memory.bank.ranking.ranking_profile import DiversityForm
from memtrial.memory.bank.ranking.score_parts import Figures

TIED_WITHIN = 1e-9
DOUBT = 1e-4
"""How far a value in single precision may be from that in double."""
FEW = 4
"""Items that are compared one by one; of more the values are computed together first."""
ROUNDED = 1e-12
"""How far values that are computed together may be from those one by one."""
BLOCK, BLOCKS = 64, 8
"""Values are taken in blocks; so many of them hold the leaders."""


@dataclass(frozen=True, slots=True, eq=False)
class PoolScores:
    """A query's scores of a pool before diversity, as similarity and the rest, shape (n,) each.

    Args:
        query: at length one, or zero; shape (d,).
        near: cosines in single precision.
        weight: of similarity.
        rest: what the other parts add, exactly.
    """

    pool: ItemPool
    query: Figures
    near: Figures
    weight: float
    rest: Figures

    def exact(self, place: int, similarity: float) -> float:
        """The score of an item in double precision, of its exact cosine."""
        return self.weight * similarity + float(self.rest[place])


@dataclass(frozen=True, slots=True)
class Choice:
    """An item that is the best of those left.

    Args:
        place: in the pool.
        value: what decided: its score, less what it repeats.
        nearest: its cosine with the nearest item chosen before; 0 for the first.
        similarity: its cosine with the query.
    """

    place: int
    value: float
    nearest: float
    similarity: float


@dataclass(frozen=True, slots=True, eq=False)
class Leaders:
    """The items of the highest values: no other's value reaches `bar`.

    Args:
        places: in the pool, in its order, shape (m,).
        values: theirs, shape (m,).
    """

    places: NDArray[np.intp]
    values: Figures
    bar: float

    def close(self, among: NDArray[np.bool_]) -> NDArray[np.intp] | None:
        """Those of some items that may be the best of them; None where others may be, too."""
        left = among[self.places]
        top = self.values.max(where=left, initial=-np.inf) - 2 * DOUBT
        return self.places[left & (self.values >= top)] if top >= self.bar else None


def find_leaders(values: Figures) -> Leaders:
    """The leaders of values, shape (n,): at least one of each of the best blocks; of a few items all."""
    if len(values) <= BLOCK * BLOCKS:
        return Leaders(np.arange(len(values)), values, -np.inf)
    highest = np.maximum.reduceat(values, np.arange(0, len(values), BLOCK))
    bar = np.partition(highest, -BLOCKS)[-BLOCKS]
    places = np.flatnonzero(values >= bar)
    return Leaders(places, values[places], float(bar))


@dataclass
class Selection:
    """The state of choosing: what was taken, and how near each item is to that."""

    scores: PoolScores
    form: DiversityForm
    taken: list[int] = field(default_factory=list)
    _nearest: Figures | None = field(default=None, init=False)
    _counted: int = field(default=0, init=False)
    _leaders: Leaders | None = field(default=None, init=False)

    def best(self, among: NDArray[np.bool_]) -> Choice | None:
        """The best of some items, shape (n,); None where there are none."""
        close = self._close(among)
        if not len(close):
            return None
        if len(close) > FEW:
            close = self._narrow(close)
        choices = [self._choice(int(place)) for place in close]
        if len(choices) == 1:
            return choices[0]
        top = max(choice.value for choice in choices)
        ids = self.scores.pool.ids
        equal = (choice for choice in choices if choice.value >= top - TIED_WITHIN)
        return min(equal, key=lambda choice: ids[choice.place])

    def _close(self, among: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Those that may be the best, as far as single precision can say."""
        if not self._repels:
            # values stay as they are from turn to turn
            self._leaders = self._leaders or find_leaders(self._values())
            if (close := self._leaders.close(among)) is not None:
                return close
        places: NDArray[np.intp] = np.flatnonzero(among)
        if len(places):
            values = self._values()[places]
            places = places[values >= values.max() - 2 * DOUBT]
        return places

    def _narrow(self, close: NDArray[np.intp]) -> NDArray[np.intp]:
        """Of many that may be best the one that is; those that may be where a last digit decides."""
        of_score, of_nearest = self.factors
        pool, rest = self.scores.pool, self.scores.rest[close]
        values = of_score * (self.scores.weight * pool.exact_cosines(close, self.scores.query) + rest)
        if self._repels and self.taken:
            near = (pool.exact_cosines(close, pool.direction(other)) for other in self.taken)
            values += of_nearest * np.maximum.reduce(list(near))
        over = values - (values.max() - TIED_WITHIN)
        close = close[over >= -ROUNDED]
        if (np.abs(over) > ROUNDED).all():
            close = close[[min(range(len(close)), key=lambda row: pool.ids[int(close[row])])]]
        return close

    def take(self, place: int) -> None:
        """Count an item as chosen: those near to it are worth less from now on."""
        self.taken.append(place)

    @property
    def factors(self) -> tuple[float, float]:
        """By how much a score, and a cosine with what was chosen, count."""
        weight = self.form.weight
        return (1.0, -weight) if self.form.kind == "penalty" else (weight, weight - 1.0)

    @property
    def _repels(self) -> bool:
        return self.factors[1] != 0

    def _values(self) -> Figures:
        of_score, of_nearest = self.factors
        if self._repels:
            self._count_taken()
        values = self.scores.weight * self.scores.near
        values += self.scores.rest
        values *= of_score
        return values if self._nearest is None else values + of_nearest * self._nearest

    def _count_taken(self) -> None:
        """Only before another choice: nothing is chosen behind the last item."""
        for place in self.taken[self._counted :]:
            near = self.scores.pool.cosines(self.scores.pool.direction(place))
            self._nearest = near if self._nearest is None else np.maximum(self._nearest, near)
        self._counted = len(self.taken)

    def _choice(self, place: int) -> Choice:
        of_score, of_nearest = self.factors
        nearest = 0.0
        if self._repels and self.taken:
            pool = self.scores.pool
            own = pool.direction(place)
            nearest = max(float(own @ pool.direction(other)) for other in self.taken)
        similarity = self.scores.pool.cosine(place, self.scores.query)
        value = of_score * self.scores.exact(place, similarity) + of_nearest * nearest
        return Choice(place, value, nearest, similarity)
