"""What a task is shown of a bank, and which of these items its agent cited: followed, named or quoted."""

from collections.abc import Sequence
from dataclasses import dataclass

from memtrial.agents.episode import Episode
from memtrial.evolution.turn_search import EnteredItems
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

    def with_entered(self, entered: Sequence[EnteredItems]) -> "ShownItems":
        """These, and behind them what came up in the midst of the task."""
        later = [shown_of(turn.search.ranking) for turn in entered]
        return ShownItems(
            self.block,
            (*self.ids, *(name for shown in later for name in shown.ids)),
            (*self.texts, *(text for shown in later for text in shown.texts)),
        )


def shown_of(ranking: Ranking) -> ShownItems:
    """The items of a ranking as the task sees them."""
    hits = ranking.hits
    texts = show_items([hit.item.item for hit in hits])
    return ShownItems(ranking.block, tuple(hit.id for hit in hits), texts)


def find_cited(
    shown: ShownItems, entered: Sequence[EnteredItems], episode: Episode, known: Repertoire
) -> tuple[str, ...]:
    """The ids of items that an agent cited: it did what they tell to do once that applied, or its thoughts
    name or quote them. What entered in the midst of the task is cited from then on, and no earlier.

    What an item tells to avoid is followed by whoever does something else, for whatever reason: that counts
    only where the agent says so.
    """
    later = [turn.step for turn in entered for _ in turn.search.ranking.hits]
    since, every = [0] * len(shown.ids) + later, shown.with_entered(entered)
    followed = _follow(every.texts, len(shown.ids), episode, known)
    return tuple(
        name
        for place, (name, text) in enumerate(zip(every.ids, every.texts, strict=True))
        if place in followed or find_citation(place, text, episode.steps, since[place]) is not None
    )


def _follow(texts: Sequence[str], n_first: int, episode: Episode, known: Repertoire) -> set[int]:
    """The places of those that were followed; from `n_first` on an item applies once it has entered."""
    told_actions = [
        tell(place, text, advice, None if place < n_first else place, place < n_first)
        for place, text in enumerate(texts)
        for advice in exchangeable(text, known)[:MOST_ADVISED]
        if advice.do
    ]
    _, acted = find_moments(told_actions, episode)
    return set(acted)
