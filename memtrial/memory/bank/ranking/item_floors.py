"""Which items may be shown: only active ones, and those that reach the profile's floors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.ranking.ranked_hit import Reason
from memtrial.memory.bank.ranking.ranking_profile import Floor
from memtrial.memory.bank.ranking.score_parts import Figures
from memtrial.memory.bank.ranking.scored_pool import ScoredPool
from memtrial.memory.bank.ranking.selection import DOUBT

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ItemFloors:
    """Which items pass what, shape (n,) each."""

    active: Mask
    similar: Mask
    trusted: Mask

    @property
    def sound(self) -> Mask:
        """What may be shown."""
        return self.active & self.similar & self.trusted

    @property
    def doubtful(self) -> Mask:
        """What only the floor of confidence keeps away, as an item of probation."""
        return self.active & self.similar & ~self.trusted

    def reason(self, place: int) -> Reason | None:
        """Why an item is withheld; None where it may be shown."""
        if not self.active[place]:
            return "standing"
        if not self.similar[place]:
            return "similarity"
        return None if self.trusted[place] else "confidence"


def lay_floors(scored: ScoredPool) -> ItemFloors:
    """Hold every item against the floors of the profile."""
    pool, near, profile = scored.scores.pool, scored.scores.near, scored.profile
    everything = np.ones(len(pool.items), dtype=np.bool_)
    similar, trusted = everything, everything
    if profile.least_confidence is not None:
        trusted = _reach(pool.figures.confidence, profile.least_confidence)
    if profile.least_similarity is not None:
        similar = _reach(near, profile.least_similarity)
        # single precision cannot say on which side of the floor these are
        for place in np.flatnonzero(np.abs(near - profile.least_similarity.least) <= DOUBT):
            cosine = pool.cosine(int(place), scored.scores.query)
            similar[place] = profile.least_similarity.passes(cosine)
    return ItemFloors(pool.active, similar, trusted)


def _reach(figures: Figures, floor: Floor) -> Mask:
    return figures > floor.least if floor.strict else figures >= floor.least
