"""Rows on what memory costs: a condition of one arm, and the intact one as a multiple of it."""

from dataclasses import dataclass

from memtrial.analysis.inference.cost_ratio import CostRatio


@dataclass(frozen=True, slots=True)
class ConditionCost:
    """What the trials of a condition used, in the mean of a trial.

    Args:
        arm: whose memory it is; of `without` the arm that is held against it.
        tokens: sent and received; `usd` is None where the cost of some trial is not known.
        versus_tokens, versus_usd: the intact condition's as a multiple of this one's; None for itself, and
            where nothing can be compared.
    """

    backbone: str
    arm: str
    condition: str
    n_trials: int
    solved: float
    tokens: float
    usd: float | None
    versus_tokens: CostRatio | None = None
    versus_usd: CostRatio | None = None
