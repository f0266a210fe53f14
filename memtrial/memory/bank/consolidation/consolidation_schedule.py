"""When a bank is to be consolidated: after so many new items, at the end of a batch, daily, or never.

Sources: seeds/003 ("every N new items or on a schedule"), seeds/000 ("periodically"); REQUIREMENTS F-23, C27.
An arm of an experiment has `Never` unless consolidation is its factor.
"""

import re
from dataclasses import dataclass
from typing import Protocol

from memtrial.memory.bank.consolidation.consolidation_policy import DAY_S

EVERY_ITEMS = 20
_EVERY = re.compile(r"every (?P<count>[1-9]\d{0,5})")


@dataclass(frozen=True, slots=True)
class BankActivity:
    """What happened since the last consolidation.

    Args:
        new_items: added since then.
        batch_ended: a batch of tasks is over.
        last_run: of the last consolidation, or else of the bank's first item; seconds since 1970.
    """

    new_items: int
    batch_ended: bool
    last_run: float


class ConsolidationSchedule(Protocol):
    """Whether a consolidation is due now."""

    def is_due(self, activity: BankActivity, clock: float) -> bool: ...


@dataclass(frozen=True, slots=True)
class Never:
    """No consolidation by itself."""

    def is_due(self, activity: BankActivity, clock: float) -> bool:  # noqa: ARG002
        return False


@dataclass(frozen=True, slots=True)
class EveryItems:
    """After so many new items."""

    count: int = EVERY_ITEMS

    def is_due(self, activity: BankActivity, clock: float) -> bool:  # noqa: ARG002
        return activity.new_items >= self.count


@dataclass(frozen=True, slots=True)
class AfterBatch:
    """At the end of a batch that added something."""

    def is_due(self, activity: BankActivity, clock: float) -> bool:  # noqa: ARG002
        return activity.batch_ended and activity.new_items > 0


@dataclass(frozen=True, slots=True)
class EachDay:
    """Twenty-four hours after the last one; items age even where none is added."""

    def is_due(self, activity: BankActivity, clock: float) -> bool:
        return clock - activity.last_run >= DAY_S


def read_schedule(text: str) -> ConsolidationSchedule:
    """`off`, `every 20`, `batch` or `daily`.

    Raises:
        ValueError: it is none of them.
    """
    plain: dict[str, ConsolidationSchedule] = {"off": Never(), "batch": AfterBatch(), "daily": EachDay()}
    if text in plain:
        return plain[text]
    if every := _EVERY.fullmatch(text):
        return EveryItems(int(every["count"]))
    raise ValueError(f"a consolidation is 'off', 'every 20', 'batch' or 'daily'; got {text[:80]!r}")
