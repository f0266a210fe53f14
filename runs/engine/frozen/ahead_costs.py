"""What trials took that were played ahead of the plan: by them blocks are foreseen before one is over."""

from collections import Counter
from dataclasses import dataclass, field

from memtrial.ledger.rows import TrialRow

BlockName = tuple[str, str, int]
"""Backbone, task and repeat."""


@dataclass
class AheadCosts:
    """Trials played ahead of the plan, and the dearest and the longest of them, by which others are foreseen.

    Args:
        cells: trials of a block at most.
        sent: requests that were sent for trials of each block.
        ended: trials that are over.
    """

    cells: int = 0
    sent: Counter[BlockName] = field(default_factory=Counter)
    usd: float = 0.0
    calls: int = 0
    ended: int = 0

    @property
    def is_known(self) -> bool:
        """As many trials are over as a block has, so that it is known what one may take."""
        return 0 < self.cells <= self.ended

    @property
    def block_usd(self) -> float | None:
        """US dollars of a block whose trials cost as much as the dearest so far; None until that is known."""
        return self.cells * self.usd if self.is_known else None

    @property
    def block_calls(self) -> int | None:
        """The same in requests."""
        return self.cells * self.calls if self.is_known else None

    def add(self, row: TrialRow) -> None:
        """A trial is over."""
        self.ended += 1
        self.usd, self.calls = max(self.usd, row.usd or 0.0), max(self.calls, row.calls)
        self.sent[row.backbone, row.task, row.repeat] += row.calls - row.cached
