"""What plays a run: one runner for each mode of a spec."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from loadbearing.ledger.run_plan import RunPlan
from loadbearing.runs.play.schedule import Ending, Limits
from loadbearing.runs.setup.context import RunContext
from loadbearing.runs.trials.trials import Block


@dataclass(frozen=True, slots=True)
class Session:
    """What one `run` command asks for, beside the spec.

    Args:
        most_blocks: play this many and stop; None for all.
        retry_errors: play trials again whose last attempt was an error.
        say: gets lines for the log.
        freeze: gets the blocks and the plan before the first trial, and none is played; None to play them.
        amending: another analysis than the ledger states is about to be stated.
    """

    most_blocks: int | None = None
    retry_errors: bool = False
    say: Callable[[str], None] = lambda _: None
    freeze: Callable[[tuple[Block, ...], RunPlan], None] | None = None
    amending: bool = False


class Runner(Protocol):
    """Prepares and plays a run in one mode. Trials that the ledger holds already are not played again."""

    async def __call__(self, run: RunContext, session: Session) -> Ending:
        """Play until the end, or until the session's limits, and close the run's world; how it ended.

        Raises:
            RunFault: the infrastructure broke, or the run cannot continue for another reason.
            HaltFault, StoreFault: nothing more may be sent.
        """
        ...


def limits_of(run: RunContext) -> Limits:
    """What stops the run between two blocks."""
    client = run.model_client
    return Limits(
        max_usd=run.spec.budget.max_cost_usd,
        max_error_share=run.spec.engine.max_error_share,
        spent=lambda: client.transport.paid(client.cache)[0],
        halted=lambda: client.transport.halted,
    )
