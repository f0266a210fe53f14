"""What a task is shown of a bank, and which of these items its agent cited: followed, named or quoted."""

from collections.abc import Sequence
from dataclasses import dataclass

from memtrial.agents.episode import Episode
from memtrial.memory.bank.ranking.ranked_hit import Ranking
from memtrial.memory.record_text import show_items
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, exchangeable
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.runs.trials.adherence import tell
from memtrial.runs.trials.exposure import find_citation, find_moments


@dataclass(frozen=True, slots=True)
class ShownItems:
    """What stands in the prompt.

    Args:
        block: the whole text; empty where there is no memory, or where the bank shows none.
        ids: of the items in it, in their order.
        texts: theirs.
    """

    block: str = ""
    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def shown_of(ranking: Ranking) -> ShownItems:
    """The items of a ranking as the task sees them."""
    hits = ranking.hits
    texts = show_items([hit.item.item for hit in hits])
    return ShownItems(ranking.block, tuple(hit.id for hit in hits), texts)


def find_cited(shown: ShownItems, episode: Episode, known: Repertoire) -> tuple[str, ...]:
    """The ids of items that an agent cited: it did what they tell to do once that applied, or its thoughts
    name or quote them.

    What an item tells to avoid is followed by whoever does something else, for whatever reason: that counts
    only where the agent says so.
    """
    followed = _follow(shown.texts, episode, known)
    return tuple(
        name
        for place, (name, text) in enumerate(zip(shown.ids, shown.texts, strict=True))
        if place in followed or find_citation(place, text, episode.steps) is not None
    )


def _follow(texts: Sequence[str], episode: Episode, known: Repertoire) -> set[int]:
    told_actions = [
        tell(place, text, advice, None, True)
        for place, text in enumerate(texts)
        for advice in exchangeable(text, known)[:MOST_ADVISED]
        if advice.do
    ]
    _, acted = find_moments(told_actions, episode)
    return set(acted)
