"""The rules of an analysis: one value in the spec, in the run's plan, and wherever an estimate is judged."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnalysisRules:
    """By which rules estimates become verdicts. Each default stands here and nowhere else.

    Args:
        margin: smallest effect that matters, in points of score, for every estimand.
        alpha: error rate, two-sided for effects and one-sided for equivalence; intervals hold 1 - alpha.
        flips: random sign vectors where enumeration is too long; `seed` is theirs.

    Raises:
        ValueError: a number out of range.
    """

    margin: float = 0.10
    alpha: float = 0.05
    flips: int = 9_999
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 < self.margin < 1.0:
            raise ValueError(f"margin is a share of the score between 0 and 1, got {self.margin!r}")
        if not 0.0 < self.alpha < 0.5:
            raise ValueError(f"alpha lies between 0 and 0.5, got {self.alpha!r}")
        if self.flips < 1:
            raise ValueError(f"at least one sign vector has to be drawn, got flips={self.flips!r}")


STANDARD_RULES = AnalysisRules()
MOST_FLIPS = 1_000_000
"""Sign vectors of a test at most."""
