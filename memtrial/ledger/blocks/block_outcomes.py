"""How the trials of a block ended: all that counts and means of many thousands of trials need."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtrial.ledger.rows import Status, TrialRow
from memtrial.ledger.trial_cells import Cell, TrialScore

Place = tuple[str, str, int]
"""Backbone, task and repeat of a block."""


class BlockOutcomes(NamedTuple):
    """The last attempts of the trials of one block, those of a cell in the place of its number.

    Args:
        cells: each once, unless somebody changed the ledger.
        scores: in [0, 1]; None for an error.
    """

    backbone: str
    task: str
    repeat: int
    cells: tuple[Cell, ...]
    statuses: tuple[Status, ...]
    scores: tuple[float | None, ...]

    @property
    def place(self) -> Place:
        return self.backbone, self.task, self.repeat


def group_trials(trials: Iterable[TrialScore | TrialRow]) -> tuple[BlockOutcomes, ...]:
    """The blocks of these trials, in the order in which they come first."""
    blocks: dict[Place, list[tuple[Cell, Status, float | None]]] = {}
    for trial in trials:
        place = trial.backbone, trial.task, trial.repeat
        outcome = (trial.arm, trial.condition), trial.status, trial.score
        blocks.setdefault(place, []).append(outcome)
    return tuple(BlockOutcomes(*place, *zip(*own, strict=True)) for place, own in blocks.items())


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many trials ended how.

    Args:
        blocks: with at least one trial; a block is committed whole.
        by_arm: trials by arm, sorted, and status.
    """

    blocks: int
    by_arm: dict[str, dict[str, int]]

    @property
    def played(self) -> int:
        return sum(sum(counts.values()) for counts in self.by_arm.values())

    @property
    def errors(self) -> int:
        return sum(counts.get("error", 0) for counts in self.by_arm.values())


def count_trials(blocks: Sequence[BlockOutcomes]) -> TrialCounts:
    """Count the trials of blocks that are each there once."""
    counts: Counter[tuple[str, Status]] = Counter()
    for block in blocks:
        counts.update(zip([arm for arm, _ in block.cells], block.statuses, strict=True))
    by_arm: dict[str, dict[str, int]] = {}
    for arm, status in sorted(counts):
        by_arm.setdefault(arm, {})[status] = counts[arm, status]
    return TrialCounts(len(blocks), by_arm)
