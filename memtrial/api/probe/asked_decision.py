"""A decision that was asked again, and the shares that its cells show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtrial.analysis.probe.action_shares import AskedCell, measure_shift
from memtrial.api.probe.probed_cells import ProbedCell
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.memory.record_text import without_number
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.perturbations.advice.known_actions import same_action
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.counter import Counter

INVERTED, COUNTERED = CorruptInvert().name, Counter().name
Place = tuple[str, str]
"""(backbone, arm)."""
Pair = tuple[float | None, float | None]
"""The two shares whose difference counts, the larger one first if the memory is followed."""


@dataclass(frozen=True, slots=True)
class AskedDecision:
    """A decision and what came of its cells."""

    decision: RecordedDecision
    cells: Mapping[ProbedCell, AskedCell]

    def find(self, condition: str) -> AskedCell | None:
        """The cell of a condition; None where it has none."""
        return next((asked for cell, asked in self.cells.items() if cell.condition == condition), None)

    def without_item(self, item: int) -> AskedCell | None:
        """The cell in which an item alone is left out: of a single item, that without memory."""
        asked = next((asked for cell, asked in self.cells.items() if cell.item == item), None)
        return asked if asked is not None or self.decision.items else self.find(WITHOUT)

    def share_of(self, asked: AskedCell | None, items: Sequence[int] | None = None) -> float | None:
        """The share of what the items advise; None where they advise nothing here."""
        if asked is None or self.decision.complies("", items) is None:
            return None
        return asked.share_where(lambda action: bool(self.decision.complies(action, items)))

    def share_instead(self, asked: AskedCell | None) -> float | None:
        """The share of what `counter` advises in its place."""
        instead = self.decision.instead
        if asked is None or not instead:
            return None
        return asked.share_where(lambda action: any(same_action(action, other) for other in instead))

    @property
    def place(self) -> Place:
        """The backbone and the arm."""
        return self.decision.backbone, self.decision.arm

    def find_item(self, text: str) -> int | None:
        """The position of an item, by its text less its number."""
        items = enumerate(self.decision.slot.items)
        return next((number for number, item in items if without_number(item) == text), None)

    def shares_under(self, condition: str) -> Pair:
        """What is advised, with the intact memory and under a condition."""
        return self.share_of(self.find(INTACT)), self.share_of(self.find(condition))

    def shares_instead(self) -> Pair:
        """What `counter` advises, there and with the intact memory."""
        return self.share_instead(self.find(COUNTERED)), self.share_instead(self.find(INTACT))

    def shares_mentioned(self) -> Pair:
        """What is advised, where it is still named and where it is not; of a memory that only says what to
        avoid, nothing: there, to be named is no advice."""
        if not any(told.do for told in self.decision.due):
            return None, None
        return self.share_of(self.find(INVERTED)), self.share_of(self.find(COUNTERED))

    def shares_of_item(self, item: int) -> Pair:
        """What an item advises, where it stands and where it alone does not."""
        return self.share_of(self.find(INTACT), (item,)), self.share_of(self.without_item(item), (item,))

    def shares_left_out(self) -> Pair:
        """The same, as the mean over the items."""
        pairs = [self.shares_of_item(item) for item in self.decision.items]
        known = [(before, after) for before, after in pairs if before is not None and after is not None]
        if not known:
            return None, None
        before, after = (sum(side) / len(known) for side in zip(*known, strict=True))
        return before, after

    def shift_under(self, condition: str) -> float | None:
        """How far a condition moves what is done."""
        return self._shift(self.find(condition))

    def shift_of_item(self, item: int) -> float | None:
        """How far it moves where one item is left out."""
        return self._shift(self.without_item(item))

    def shift_left_out(self) -> float | None:
        """The same, as the mean over the items."""
        moved = [self.shift_of_item(item) for item in self.decision.items]
        known = [value for value in moved if value is not None]
        return sum(known) / len(known) if known else None

    def _shift(self, other: AskedCell | None) -> float | None:
        intact = self.find(INTACT)
        return None if intact is None or other is None else measure_shift(intact, other)
