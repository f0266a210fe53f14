"""What workers of one run agree by: who plays which block, and what all of them together have used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from memtrial.call_records import CallBatch
    from memtrial.ledger.postgres.postgres_calls import PostgresCallStore
    from memtrial.ledger.rows import EpisodeRow, TrialRow

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class WorkTotals:
    """What blocks of all workers took: those being played, the dearest in US dollars and the longest in
    requests that are done (None before the first), and dollars that agents reported by themselves.

    Args:
        played, errors: trials that ended since nobody played before, and how many as errors; `cause` of one.
    """

    playing: int
    dearest_usd: float | None
    most_calls: int | None
    reported_usd: float
    played: int
    errors: int
    cause: str


@dataclass(frozen=True, slots=True)
class OfferedBlock:
    """A block in the order of the plan: its place as text, whether nothing of it is left, and its trials."""

    place: str
    done: bool
    trials: int


@dataclass(frozen=True, slots=True)
class BlockRows:
    """What a block leaves: its trials, what was said in them, texts that they show by digest, and calls that
    wait to be kept."""

    trials: Sequence[TrialRow]
    episodes: Sequence[EpisodeRow]
    texts: Mapping[str, str]
    calls: CallBatch


@dataclass(frozen=True, slots=True)
class BlockCost:
    """What a block took: US dollars, requests that were sent, and dollars that its agent reported.

    Args:
        errors: trials that ended as errors of the infrastructure; `cause` of the first.
    """

    usd: float
    calls: int
    reported_usd: float
    errors: int
    cause: str


@dataclass(frozen=True, slots=True)
class RateUse:
    """A worker's requests to a provider since it said so last: in flight now; the most that were so or waited
    to be; and answers."""

    active: int
    wanted: int
    answers: int


class SharedWork(Protocol):
    """One worker's part in a run that many play. A LeaseFault (a LedgerFault) where it was away too long."""

    @property
    def calls(self) -> PostgresCallStore:
        """The calls that all workers share."""

    def begin_preparing(self) -> bool:
        """Whether this worker is the one that prepares the run; it is until it ends, or is done."""

    def end_preparing(self) -> None: ...

    def offer(self, blocks: Sequence[OfferedBlock], again: bool) -> None:
        """Lay out the blocks, in their order; those that are there stay as they are.

        Args:
            again: blocks that were done, and of which something is left, are played again.
        """

    def list_laid(self) -> Sequence[OfferedBlock]:
        """The blocks as they were laid out, in their order, as they stand now; none before that."""

    def take(self, last: str, besides: Sequence[str], may: Callable[[WorkTotals], bool]) -> str | None:
        """Lease the first free block up to `last`, other than `besides`, if it `may` be begun; nobody else
        decides meanwhile. None where none is free, or it may not."""

    def is_left(self, last: str, besides: Sequence[str]) -> bool:
        """Whether a block up to `last` is not done, whoever plays it."""

    def commit(self, place: str, rows: BlockRows, cost: BlockCost) -> WorkTotals:
        """Add the rows of a leased block, which is done with that: all of it or nothing."""

    def decide_alone(self, work: Callable[[], Result]) -> Result:
        """Do something in one transaction while nobody else does."""

    def share_connections(self, provider: str, most: int, use: RateUse) -> int:
        """Of the requests in flight that the run may have to a provider, how many this worker may; no less
        than it has now, where it may not have more."""
