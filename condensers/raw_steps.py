"""Constrained and not distilled: steps of a run as they were recorded, let through or dropped by gates.

Beside the native condenser (distilled, not constrained), the raw run (neither) and the theory (both) it fills
the fourth cell of seeds/002's two factors. Nothing is written, so nothing is revised.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View, recount
from memtrial.condensers.condenser import MOST_ITEMS
from memtrial.condensers.draft_replies import Drafts
from memtrial.gates.gate import Finding
from memtrial.memory.item import Item, ProseItem


@dataclass(frozen=True)
class RawSteps:
    """Cuts a run into as many windows of neighbouring steps as other condensers may write items."""

    view: View = "full"

    async def draft(self, trajectory: Trajectory) -> Drafts:
        """The windows, in order; none of a run without steps."""
        return Drafts(tuple(ProseItem(text) for text in _windows(trajectory, self.view)))

    async def revise(
        self, item: Item, number: int, findings: Sequence[Finding], trajectory: Trajectory
    ) -> Item:
        """The same item: what was recorded is not written again."""
        del number, findings, trajectory  # nobody writes here
        return item


def _windows(trajectory: Trajectory, view: View) -> Iterator[str]:
    """Each window with the task, what stood there before its first step, and the outcome of the run."""
    n = len(trajectory.steps)
    bounds = [n * part // MOST_ITEMS for part in range(MOST_ITEMS + 1)]
    for low, high in pairwise(bounds):
        if low < high:
            start = trajectory.steps[low - 1].observation if low else trajectory.start
            window = replace(trajectory, steps=trajectory.steps[low:high], start=start)
            yield recount(window, view, low + 1)
