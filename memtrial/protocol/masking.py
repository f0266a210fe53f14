"""Masked arms: until the locked data are complete, nobody reads scores under the arms' names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

from memtrial.ledger.random_streams import fixed_generator
from memtrial.ledger.rows import CheckRow, DecisionRow, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import NONE

Value = TypeVar("Value")
Row = TypeVar("Row", TrialRow, CheckRow, DecisionRow)


@dataclass(frozen=True, slots=True)
class Mask:
    """Other names for the arms; `none` keeps its own. Empty: nothing is masked.

    It hides names, not structure: which arm has fewer kinds of damage can still be seen. Every pair of arms
    is compared, in the order of the masked names.
    """

    names: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.names)

    def of(self, arm: str) -> str:
        """What an arm is called."""
        return self.names.get(arm, arm)

    def rows(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """Rows under the masked names, in their order within each place."""
        if not self:
            return tuple(rows)
        masked = [replace(row, arm=self.of(row.arm)) for row in rows]
        return tuple(sorted(masked, key=lambda r: (r.backbone, r.task, r.repeat, r.arm != NONE, r.arm)))

    def undone(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Shares by arm under the arms' own names, for what rests on no score, in their order."""
        own = {masked: arm for arm, masked in self.names.items()}
        return (
            dict(sorted((own.get(arm, arm), share) for arm, share in shares.items()))
            if self
            else dict(shares)
        )

    def by_arm(self, by_name: Mapping[str, Value]) -> dict[str, Value]:
        """A mapping by arm under the masked names, in their order."""
        return {self.of(arm): by_name[arm] for arm in (sorted(by_name, key=self.of) if self else by_name)}

    def plan(self, plan: RunPlan) -> RunPlan:
        """The plan under the masked names, in their order; what would tell the arms apart is left out."""
        if not self:
            return plan
        arms = sorted(self.of(arm) for arm in plan.arms if arm != NONE)
        changed = {
            "arms": (*(arm for arm in plan.arms if arm == NONE), *arms),
            "injections": self.by_arm(plan.injections),
            "arm_conditions": self.by_arm(plan.arm_conditions),
            "planned": self.by_arm(plan.planned),
            "drawn": tuple(self.of(arm) for arm in plan.drawn),
            # the declared pairs and their direction would name the arms
            "pairs": tuple(combinations(arms, 2)),
            "channel_pairs": (),
            "levels": {},
            "words": {},
            "positive_control": self.of(plan.positive_control),
        }
        return plan.model_copy(update=changed)


NOTHING_MASKED = Mask({})


def mask_of(digest: str, arms: Iterable[str]) -> Mask:
    """Arm 1, arm 2, ... in an order drawn from the lock's hexadecimal digest; `none` is left as it is."""
    masked = sorted(arm for arm in arms if arm != NONE)
    order = fixed_generator(int(digest[:15], 16)).permutation(len(masked))
    return Mask({masked[place]: f"arm {nth}" for nth, place in enumerate(order, 1)})
