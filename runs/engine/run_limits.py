"""What ends a run before all is played: dollars, requests, hours, errors; and how far each reaches."""

from collections.abc import Callable
from dataclasses import dataclass, field

from memtrial.runs.engine.frozen.ahead_costs import AheadCosts
from memtrial.runs.setup.context import RunContext

ALONE, BESIDE = 1.5, 3.0
"""The budget reserved for a block, in times of the dearest so far: blocks differ by their tasks, and
concurrent blocks need a larger reserve."""
KEPT_BACK = 0.5
"""Of a budget, for the preparation: of what trials that are played ahead, and their blocks, take nothing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What stops a run between two blocks: dollars over all sessions, errors, or why nothing may be sent.

    Requests, which `sent` counts, are reserved as dollars are. `used_up` says which bound on requests or
    hours is reached; no block is begun after that. `reported_before` are dollars that the agent itself
    reported in earlier sessions, `ahead` trials that were played ahead of the plan.
    """

    max_usd: float | None = None
    max_error_share: float = 1.0
    spent: Callable[[], float] = lambda: 0.0
    halted: Callable[[], str] = lambda: ""
    used_up: Callable[[], str] = lambda: ""
    max_calls: int | None = None
    sent: Callable[[], int] = lambda: 0
    reported_before: float = 0.0
    ahead: AheadCosts = field(default_factory=AheadCosts)

    @property
    def is_bounded(self) -> bool:
        """Whether dollars or requests are."""
        return self.max_usd is not None or self.max_calls is not None

    def may_play_ahead(self, beside: int) -> bool:
        """Whether a trial may be played ahead `beside` so many: for all of them there is a reserve as for
        blocks. Until as many are over as a block has, no more than these are begun."""
        if self.halted() or self.used_up():
            return False
        ahead = self.ahead
        if self.is_bounded and not ahead.is_known:
            return ahead.ended + beside < ahead.cells
        reserve = BESIDE * (beside + 1)
        usd = self.max_usd is None or self.spent() + reserve * ahead.usd <= self.max_usd
        return usd and (self.max_calls is None or self.sent() + reserve * ahead.calls <= self.max_calls)

    def reaches_ahead(self, n_blocks: int) -> bool:
        """Whether the first so many blocks can be played to their end with what is not kept back, if each
        trial cost as much as the dearest so far, and half as much again."""
        ahead, times = self.ahead, n_blocks * self.ahead.cells * ALONE
        usd = self.max_usd is None or times * ahead.usd <= self.max_usd * (1 - KEPT_BACK)
        return usd and (self.max_calls is None or times * ahead.calls <= self.max_calls * (1 - KEPT_BACK))


def limits_of(run: RunContext, shared: bool = False) -> Limits:
    """The limits that a run's spec sets; `shared`: what agents reported is counted with the blocks."""
    client, spec = run.model_client, run.spec
    return Limits(
        max_usd=spec.budget.max_cost_usd,
        max_error_share=spec.engine.max_error_share,
        spent=lambda: client.transport.paid(client.cache)[0],
        halted=lambda: client.transport.halted,
        used_up=lambda: client.transport.used_up(client.cache),
        max_calls=spec.budget.max_calls,
        sent=lambda: client.cache.sent,
        reported_before=0.0 if shared else sum(row.reported_usd for row in run.ledger.trials()),
        ahead=AheadCosts(len(run.design.cells)),
    )
