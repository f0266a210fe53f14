"""One try at a task, and which of several tries is handed in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memtrial.agents.trajectory import Trajectory
from memtrial.evolution.turn_search import EnteredItems
from memtrial.judges.verdict_words import Label

UNSTATED = 0.5
"""The confidence of a judge that states none."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One try, as it was judged.

    Args:
        index: from 0, in the order in which the tries were begun.
        trajectory: its outcome is the world's own, which only analysis may read.
        label: what the judge says; empty where that cannot be read.
        sure: how sure it is, in [0, 1]; None for a judge that does not say.
        calls: requests of the agent.
        usd: what they cost; None where the price is not known.
        cited: items of the bank, by id.
        entered: what of the bank came up in the midst of it.
        variant: by what it differs from the other tries, in words.
    """

    index: int
    trajectory: Trajectory
    label: Label
    sure: float | None = None
    calls: int = 0
    usd: float | None = 0.0
    cited: tuple[str, ...] = ()
    entered: tuple[EnteredItems, ...] = ()
    variant: str = ""

    @property
    def solved(self) -> bool:
        """What the world says."""
        return self.trajectory.outcome == "success"

    @property
    def judged(self) -> Trajectory:
        """The run as memory sees it: with the judge's outcome, its thoughts as they were."""
        assert self.label  # an unreadable verdict is no failure, and teaches nothing
        return replace(self.trajectory, outcome=self.label)


def choose_best(rollouts: Sequence[Rollout]) -> Rollout:
    """The try that is handed in, by the judge alone: a success before one that could not be judged, that
    before a failure; then the likelier success, fewer steps, and the earlier one.

    Raises:
        ValueError: there is none.
    """
    if not rollouts:
        raise ValueError("one try at least is needed to choose the best")
    return min(rollouts, key=_rank)


def _rank(rollout: Rollout) -> tuple[int, float, int, int]:
    sure = UNSTATED if rollout.sure is None else rollout.sure
    likely = 1 - sure if rollout.label == "failure" else sure
    order = {"success": 0, "": 1, "failure": 2}[rollout.label]
    return order, -likely, len(rollout.trajectory.steps), rollout.index
