"""Ranks a pool of items for a query, and says why nothing is shown where nothing is."""

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.preambles.shown_block import show_block
from memtrial.memory.bank.ranking.filled_places import FilledPlaces
from memtrial.memory.bank.ranking.item_floors import ItemFloors, lay_floors
from memtrial.memory.bank.ranking.item_pool import ItemPool
from memtrial.memory.bank.ranking.ranked_hit import Abstention, Hit, Ranking
from memtrial.memory.bank.ranking.ranking_profile import DiversityForm, RankingProfile
from memtrial.memory.bank.ranking.scored_pool import ScoredPool, score_pool
from memtrial.memory.bank.ranking.selection import Selection
from memtrial.memory.bank.ranking.tokenizer import count_tokens


def rank_items(pool: ItemPool, query: NDArray[np.floating], profile: RankingProfile, clock: float) -> Ranking:
    """What the query's task is shown; the same pool in another order gives the same.

    Args:
        query: the vector of the task's query, shape (d,), by the embedder that made the pool's; zero is near
            to nothing.
        clock: seconds since 1970.

    Raises:
        ValueError: another dimension than the pool's, or a figure that is no number.
    """
    if profile.k == 0:
        return Ranking(profile.name, abstention=Abstention("none_asked", "k is 0: nothing is asked for"))
    if not pool.items:
        return Ranking(
            profile.name, abstention=Abstention("empty", "the bank has no items of what was asked for")
        )
    scored = score_pool(pool, query, profile, clock)
    floors = lay_floors(scored)
    places = FilledPlaces(scored)
    places.fill(floors.sound, profile.k - profile.probation)
    if profile.probation:
        places.fill(floors.doubtful, places.n_filled + 1, probation=True)
        places.fill(floors.sound, profile.k)
    passed = tuple(places.passed)
    if not places.hits:
        return Ranking(profile.name, passed=passed, abstention=_abstain(scored, floors))
    block = show_block([hit.item for hit in places.hits], profile.preamble)
    tokens = None if profile.budget is None else count_tokens(block, profile.budget.tokenizer)
    return Ranking(profile.name, tuple(places.hits), block, passed, None, tokens)


def list_hits(
    pool: ItemPool, query: NDArray[np.floating], profile: RankingProfile, clock: float, most: int
) -> tuple[Hit, ...]:
    """The items that fit a query best, each with why it would be withheld: what a search shows to a person.

    Diversity and the budget, which depend on what else is chosen, do not count here.

    Raises:
        ValueError: as `rank_items`, or fewer than no hits are asked for.
    """
    if most < 0:
        raise ValueError(f"a number of hits, 0 or more, is needed; got {most}")
    if not pool.items:
        return ()
    scored = score_pool(pool, query, profile, clock)
    floors = lay_floors(scored)
    selection = Selection(scored.scores, DiversityForm())
    left = np.ones(len(pool.items), dtype=np.bool_)
    hits: list[Hit] = []
    while len(hits) < most and (choice := selection.best(left)) is not None:
        left[choice.place] = False
        hits.append(scored.hit(choice, selection, floors.reason(choice.place)))
    return tuple(hits)


def _abstain(scored: ScoredPool, floors: ItemFloors) -> Abstention:
    """Which hurdle the last of the items failed."""
    profile, pool = scored.profile, scored.scores.pool
    if not floors.active.any():
        return Abstention("inactive", f"none of the {len(pool.items)} items is active")
    near = floors.active & floors.similar
    if profile.least_similarity is not None and not near.any():
        best = max(pool.cosine(int(place), scored.scores.query) for place in floors.active.nonzero()[0])
        words = f"a cosine {profile.least_similarity.words} is needed; the highest is {best:.3f}"
        return Abstention("dissimilar", words)
    if profile.least_confidence is not None and not floors.sound.any() and not profile.probation:
        best = float(pool.figures.confidence[near].max())
        words = f"a confidence {profile.least_confidence.words} is needed; the highest is {best:.3f}"
        return Abstention("doubtful", words)
    room = "no room" if profile.budget is None else profile.budget.words
    return Abstention("too_long", f"no item fits into {room}")
