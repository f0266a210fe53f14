"""What became of the items of a memory: how far each went, and the scores where one came up."""

from typing import Literal

from loadbearing.reports.model.record import Record


class FunnelRow(Record):
    """How many items went how far, in the intact trials of one arm: a row of `funnel`.

    Each stage counts those of the stage before; `cited` counts those of `shown` and is none of them.
    """

    backbone: str
    arm: str
    retrieved: int
    """Items in the slots of all trials: one item in three trials counts three times."""
    shown: int
    """Its text stood in a request."""
    fired: int
    """Its moment came: its Trigger held, or what its text asks for stood there."""
    acted: int
    """What it advises was done from then on; an agent may have done so without it."""
    mattered: int
    """And the trial scored more than the one without memory in the same block."""
    cited: int
    """A thought quotes or names it."""


class ExposedRow(Record):
    """An effect among the blocks in which a Trigger held, and among the others: a row of `per_exposure`.

    Which blocks these are was decided after the fact, by the firings in the episode without memory; the
    estimates of the run count every block (intention to treat).
    """

    backbone: str
    arm: str
    condition: str
    """The damage whose drop this is; `without` for the utility."""
    blocks: Literal["fired", "not fired"]
    n_tasks: int
    estimate: float
    low: float | None
    high: float | None
    """Unadjusted."""
