"""What a session asks for, and which trial is played next: blocks in order, while the run may continue."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.ledger.shared_work import BlockCost, SharedWork, WorkTotals
from memtrial.models.client.transport import HaltFault, SpentFault
from memtrial.runs.engine.frozen.ahead_costs import BlockName
from memtrial.runs.engine.interrupt import INTERRUPTED
from memtrial.runs.engine.leased_blocks import LeasedBlocks, Placed
from memtrial.runs.engine.run_limits import ALONE, BESIDE, Limits
from memtrial.runs.setup.reviews import ServePage
from memtrial.runs.trials.planned.left_blocks import LeftBlock
from memtrial.runs.trials.trials import Block, Trial

How = Literal["done", "limit", "boundary", "budget", "errors", "halted", "interrupted", "review"]
FEWEST = 20
"""Trials before the share of errors can stop a run."""
MOST_OF_CAUSE = 300
"""Characters of one error that the end of a run repeats."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How playing ended, and why, in a sentence; `why` is empty when all is done."""

    how: How = "done"
    why: str = ""


def ending_of(halt: HaltFault | str) -> Ending:
    """Why nothing more was sent, by who said so."""
    why = str(halt)
    if isinstance(halt, SpentFault):
        return Ending("budget", why)
    return Ending("interrupted" if why == INTERRUPTED else "halted", why)


@dataclass(frozen=True, slots=True)
class Session:
    """What one `run` command asks for, beside the spec; `say` gets lines for the log.

    Args:
        most_blocks: play this many and stop; None for all.
        retry_errors: play trials again whose last attempt was an error.
        freeze: gets the blocks and the plan before the first trial, and none is played.
        see_blocks: gets the blocks before they are played, those that are over among them; may refuse them.
        amending: another analysis than the ledger states is about to be stated.
        serve_page: where people decide on drafts; None: the session ends where they have to.
        shared: this worker's part in a run that many play; None: it is played here alone.
    """

    most_blocks: int | None = None
    retry_errors: bool = False
    say: Callable[[str], None] = lambda _: None
    freeze: Callable[[Sequence[Block], RunPlan], None] | None = None
    see_blocks: Callable[[Sequence[Block]], None] | None = None
    amending: bool = False
    serve_page: ServePage | None = None
    shared: SharedWork | None = None


class PlayedWhole(Placed, Protocol):
    """A block, as it is needed to commit it."""

    @property
    def keys(self) -> Sequence[str]: ...
    @property
    def texts(self) -> Mapping[str, str]: ...


@dataclass
class Opened:
    """A block that is being played, `left` of its trials not over yet; it is committed whole."""

    block: PlayedWhole
    left: int
    rows: list[TrialRow] = field(default_factory=list)
    episodes: list[EpisodeRow] = field(default_factory=list)

    def add(self, *ended: tuple[TrialRow, EpisodeRow | None]) -> None:
        """Take in a trial that has ended, and those that share it; one that broke has no episode."""
        self.left -= 1
        for row, episode in ended:
            self.rows.append(row)
            self.episodes += [episode] if episode is not None else []

    @property
    def name(self) -> BlockName:
        """Where the block stands in the run."""
        return self.block.backbone, self.block.task.id, self.block.repeat

    @property
    def errors(self) -> int:
        """Trials that ended as errors of the infrastructure."""
        return sum(row.status == "error" for row in self.rows)

    @property
    def cost(self) -> BlockCost:
        """What its trials took."""
        return BlockCost(
            sum(row.usd or 0.0 for row in self.rows),
            sum(row.calls - row.cached for row in self.rows),
            sum(row.reported_usd for row in self.rows),
            self.errors,
            self.cause,
        )

    @property
    def cause(self) -> str:
        """Why the first of them is one; empty where none is."""
        return next((row.cause for row in self.rows if row.status == "error"), "")


class WaitingBlocks(Protocol):
    """Blocks that wait for their turn; false where there is none."""

    def popleft(self) -> LeftBlock: ...


@dataclass
class Schedule:
    """Hands out trials. A block is begun only when the budget reaches to its end.

    `waiting` are blocks in the order of the plan, with the trials that are left to play, in groups that share
    an episode; where they are `leased`, other workers play them, too.
    """

    waiting: WaitingBlocks = field(default_factory=deque[LeftBlock])
    limits: Limits = field(default_factory=Limits)
    dearest_usd: float | None = None
    ending: Ending = field(default_factory=Ending)
    leased: LeasedBlocks | None = None
    _open: int = 0
    _played: int = 0
    _errors: int = 0
    _cause: str = ""
    _most_calls: int | None = None
    _reported: float = 0.0
    _ready: deque[tuple[Opened, tuple[Trial, ...]]] = field(default_factory=deque)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def shared(self) -> SharedWork | None:
        """What is agreed with other workers; None where this one plays alone."""
        return None if self.leased is None else self.leased.work

    async def take(self) -> tuple[Opened, tuple[Trial, ...]] | None:
        """The next trials that share an episode; None when there is none left or none may be begun."""
        async with self._changed:
            # after "errors" open blocks are not committed; answers stay in the cache
            while self.ending.how != "errors":
                if self._ready:
                    return self._ready.popleft()
                if self.ending.how != "done" or not (self.waiting or self.leased):
                    break
                if (waited := self._open_next()) is not None:
                    block, groups = waited
                    opened = Opened(block, len(groups))
                    self._open += 1
                    self._ready.extend((opened, group) for group in groups)
                elif self.leased is not None:
                    if not await self.leased.wait(self._changed):
                        break
                elif self.ending.how == "done":
                    await self._changed.wait()
        return None

    async def admit(self, block: PlayedWhole) -> Opened | None:
        """Begin this block as soon as it may begin; None when none may any more. For blocks with an order."""
        async with self._changed:
            while self.ending.how == "done":
                if self._may_open():
                    self._open += 1
                    return Opened(block, len(block.keys))
                if self.ending.how == "done":
                    await self._changed.wait()
        return None

    async def close_block(self, opened: Opened, totals: WorkTotals | None = None) -> None:
        """All trials of a block have ended. A run in which most trials are errors is stopped.

        Args:
            totals: of all workers, where others play, too.
        """
        async with self._changed:
            if totals is None:
                cost = opened.cost
                n_calls = cost.calls + self.limits.ahead.sent[opened.name]
                totals = WorkTotals(
                    playing=self._open - 1,
                    dearest_usd=max(self.dearest_usd or 0.0, cost.usd),
                    most_calls=max(self._most_calls or 0, n_calls),
                    reported_usd=self._reported + cost.reported_usd,
                    played=self._played + len(opened.rows),
                    errors=self._errors + opened.errors,
                    cause=opened.cause or self._cause,
                )
            self._count(totals)
            self._changed.notify_all()

    async def stop(self, ending: Ending) -> None:
        """Begin nothing more."""
        async with self._changed:
            if self.ending.how == "done":
                self.ending = ending
            self._changed.notify_all()

    def _open_next(self) -> LeftBlock | None:
        """The next block, where it may begin now."""
        if self.leased is not None:
            return self.leased.take(self._may_open_beside)
        return self.waiting.popleft() if self._may_open() else None

    def _may_open_beside(self, totals: WorkTotals) -> bool:
        """The same as `_may_open`, where blocks of all workers count."""
        self._count(totals)
        return self.ending.how == "done" and self._may_open()

    def _count(self, totals: WorkTotals) -> None:
        """Take note of what blocks took; where too many of their trials were errors, no more is begun."""
        self._open, self.dearest_usd = totals.playing, totals.dearest_usd
        self._most_calls, self._reported = totals.most_calls, totals.reported_usd
        self._played, self._errors, self._cause = totals.played, totals.errors, totals.cause
        most = self.limits.max_error_share
        many = self._played >= FEWEST and self._errors / self._played > most
        if many and self.ending.how == "done":
            whose = "this session" if self.leased is None else "all workers"
            self.ending = Ending(
                "errors",
                f"{self._errors} of {self._played} trials of {whose} were errors, more than"
                f" engine.max_error_share {most:g} allows; one was: {self._cause[:MOST_OF_CAUSE]}",
            )

    def _may_open(self) -> bool:
        """Whether the next block may begin now; where none ever may, the ending says why."""
        if why := self.limits.halted():
            self.ending = ending_of(why)
            return False
        if why := self.limits.used_up():
            self.ending = Ending("budget", why)
            return False
        usd, calls, why = self.limits.max_usd, self.limits.max_calls, ""
        ahead = self.limits.ahead
        spent = self.limits.spent() + self.limits.reported_before + self._reported
        sent = self.limits.sent()
        if usd is not None and not self._reaches(usd, spent, self.dearest_usd, ahead.block_usd):
            why = (
                f"the budget of ${usd:.4g} does not reach to the end of another block"
                f" (${spent:.4g} spent, the dearest block cost ${self.dearest_usd or 0.0:.4g})"
            )
        elif calls is not None and not self._reaches(calls, sent, self._most_calls, ahead.block_calls):
            why = (
                f"budget.max_calls {calls:,} does not reach to the end of another block"
                f" ({sent:,} requests sent, the longest block took {self._most_calls or 0:,})"
            )
        if why and not self._open:
            self.ending = Ending("budget", why)
        return not why

    def _reaches(self, most: float, spent: float, dearest: float | None, foreseen: float | None) -> bool:
        """Whether what is left of a budget is enough for one more block; `foreseen`: what one may take by
        trials that were played ahead."""
        if dearest is None and not self._open:
            return spent < most
        dearest = foreseen if dearest is None else dearest
        if dearest is None:
            return False  # no block's cost is known: one at a time until the first is over
        reserve = (self._open + 1) * BESIDE if self._open else ALONE
        return spent + reserve * dearest <= most
