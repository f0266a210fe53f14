"""What the ledger of a shard states: which blocks of its run it holds, and what was there before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import Recorded, RunPlan, read_as

if TYPE_CHECKING:
    from memtrial.protocols import LedgerStore


class ShardMark(Recorded):
    """Which shard of how many, and what the ledger held when it became one: the shared preparation.

    `seals` rows were there, and `digest` is the sha256 of their seals; `sends` requests had been sent and
    `usd` dollars paid for them, which are counted once for all shards.
    """

    NAME: ClassVar[str] = "shard"
    number: int = Field(description="from 1")
    of: int = Field(description="shards in all")
    seals: int = Field(description="rows of before")
    digest: str = Field(description="sha256 of their seals")
    sends: int = Field(description="requests of before")
    usd: float = Field(description="US dollars of before")

    @property
    def name(self) -> str:
        """As on the command line: `2/4`."""
        return f"{self.number}/{self.of}"


class ShardBlocks(Recorded):
    """The blocks that a shard plays, in the order of playing, as backbone, task and repeat.

    `order` is the sha256 of the keys of all trials of the run, in the order of playing: equal where two
    shards prepared the same. `planned` counts this shard's trials by arm.
    """

    NAME: ClassVar[str] = "shard blocks"
    order: str
    blocks: tuple[tuple[str, str, int], ...]
    planned: Mapping[str, int]

    @property
    def trials(self) -> int:
        """Trials of all of them."""
        return sum(self.planned.values())


def read_shard(ledger: LedgerStore) -> ShardMark | None:
    """Which shard this ledger is; None for that of a whole run."""
    text = ledger.fact_text(ShardMark.NAME)
    return None if text is None else read_as(ShardMark, text, ShardMark.NAME)


def read_shard_blocks(ledger: LedgerStore) -> ShardBlocks | None:
    """The blocks of a shard; None before it was prepared, and for a whole run."""
    text = ledger.fact_text(ShardBlocks.NAME)
    return None if text is None else read_as(ShardBlocks, text, ShardBlocks.NAME)


def plan_here(ledger: LedgerStore, plan: RunPlan) -> RunPlan:
    """The plan with the trials that this ledger is to hold: of a shard its own."""
    own = read_shard_blocks(ledger)
    return plan if own is None else plan.model_copy(update={"trials": own.trials, "planned": own.planned})


def refuse_shard(ledger: LedgerStore) -> None:
    """The ledger is of a whole run; else LedgerFault: a shard has no results."""
    if (shard := read_shard(ledger)) is not None:
        raise LedgerFault(
            f"this is shard {shard.name} of a run, which has no results of its own: `memtrial merge` makes"
            f" one run of all {shard.of}"
        )
