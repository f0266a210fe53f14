"""What surrounds an item while it is gated: the run's other training trajectories, and what is stored."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from loadbearing.episodes.trajectory import Moment, Trajectory
from loadbearing.episodes.views import View, passages
from loadbearing.memory.item import Item
from loadbearing.memory.words import content_words
from loadbearing.models.embeddings.embedding import Embedder


@dataclass(frozen=True)
class Surroundings:
    """What a deterministic half may hold an item against, besides its own trajectory.

    Args:
        trajectories: of the run's training tasks; the item's own may be among them.
        stored: by the trajectory that is being condensed, the items that are in the bank already.
        embedder: a model's vectors for the items; None: programs compare words.
    """

    trajectories: tuple[Trajectory, ...] = ()
    stored: Callable[[Trajectory], tuple[Item, ...]] = lambda _: ()
    embedder: Embedder | None = None

    @cached_property
    def moments(self) -> tuple[tuple[str, tuple[Moment, ...]], ...]:
        """By task, all moments of its trajectories' steps."""
        return tuple((one.task_id, tuple(one.moments())) for one in self.trajectories)

    def elsewhere(self, task_id: str) -> tuple[tuple[Moment, ...], ...]:
        """The moments of each other task."""
        return tuple(moments for task, moments in self.moments if task != task_id)


ALONE = Surroundings()


@lru_cache(maxsize=16)
def run_words(trajectory: Trajectory, view: View = "full") -> frozenset[str]:
    """The stems of all content words of a run, as its condenser saw it: what an item can be about."""
    return frozenset(word for text in passages(trajectory, view) for word in content_words(text))
