"""What one `run` command asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loadbearing.ledger.run_plan import RunPlan
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
