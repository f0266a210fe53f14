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

    def exact(self, place: int) -> float:
        """The score of an item in double precision."""
        return self.weight * self.pool.cosine(place, self.query) + float(self.rest[place])


@dataclass(frozen=True, slots=True)
class Choice:
    """An item that is the best of those left.

    Args:
        place: in the pool.
        value: what decided: its score, less what it repeats.
        nearest: its cosine with the nearest item chosen before; 0 for the first.
    """

    place: int
    value: float
    nearest: float


@dataclass
class Selection:
    """The state of choosing: what was taken, and how near each item is to that."""

    scores: PoolScores
    form: DiversityForm
    taken: list[int] = field(default_factory=list)
    _nearest: Figures | None = field(default=None, init=False)
    _counted: int = field(default=0, init=False)

    def best(self, among: NDArray[np.bool_]) -> Choice | None:
        """The best of some items, shape (n,); None where there are none."""
        places = np.flatnonzero(among)
        if not len(places):
            return None
        values = self._values()[places]
        close = places[values >= values.max() - 2 * DOUBT]
        if len(close) > FEW:
            close = self._narrow(close)
        choices = [self._choice(int(place)) for place in close]
        top = max(choice.value for choice in choices)
        ids = self.scores.pool.items
        equal = (choice for choice in choices if choice.value >= top - TIED_WITHIN)
        return min(equal, key=lambda choice: ids[choice.place].id)

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
            close = close[[min(range(len(close)), key=lambda row: pool.items[close[row]].id)]]
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
        values = of_score * (self.scores.weight * self.scores.near + self.scores.rest)
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
        return Choice(place, of_score * self.scores.exact(place) + of_nearest * nearest, nearest)
