"""A query's scores of all items of a pool, and a hit of any of them."""

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.ranking.item_pool import ItemPool, unit_vector
from memtrial.memory.bank.ranking.ranked_hit import Hit, Reason, ScorePart
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.score_parts import Figures, odds_of, rate_confidence, rate_recency
from memtrial.memory.bank.ranking.selection import Choice, PoolScores, Selection


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPool:
    """The scores, with the parts that they are made of, shape (n,) each."""

    scores: PoolScores
    recency: Figures
    confidence: Figures
    profile: RankingProfile

    def hit(
        self, choice: Choice, selection: Selection, withheld: Reason | None = None, probation: bool = False
    ) -> Hit:
        """The item that was chosen, with the parts of its score."""
        pool, weights = self.scores.pool, self.profile.weights
        item, (of_score, of_nearest) = pool.items[choice.place], selection.factors
        recency, confidence = float(self.recency[choice.place]), float(self.confidence[choice.place])
        parts = (
            ScorePart("similarity", choice.similarity, of_score * weights.similarity),
            ScorePart("recency", recency, of_score * weights.recency),
            ScorePart("confidence", confidence, of_score * weights.confidence),
            ScorePart("diversity", choice.nearest, of_nearest),
        )
        odds = odds_of(item.uses.wins, item.uses.losses, self.profile.confidence)
        return Hit(item, parts, odds, withheld, probation)


def score_pool(
    pool: ItemPool, query: NDArray[np.floating], profile: RankingProfile, clock: float
) -> ScoredPool:
    """Score every item for a query, shape (d,), at a time in seconds since 1970.

    Raises:
        ValueError: another dimension than the pool's, or a figure that is no number.
    """
    shape = pool.vectors.shape[1:]
    if query.shape != shape:
        raise ValueError(f"a query of the pool's dimension is needed, shape {shape}; got {query.shape}")
    if not isfinite(clock):
        raise ValueError(f"a clock in seconds is needed; got {clock}")
    direction = unit_vector(query)
    recency = rate_recency(pool.figures.created, clock, profile.recency)
    confidence = rate_confidence(pool.figures, clock, profile.confidence)
    weights = profile.weights
    rest = weights.recency * recency + weights.confidence * confidence
    scores = PoolScores(pool, direction, pool.cosines(direction), weights.similarity, rest)
    return ScoredPool(scores, recency, confidence, profile)
