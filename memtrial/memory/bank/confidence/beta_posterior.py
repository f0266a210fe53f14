"""A share that is learnt from what was seen for and against it, as a Beta distribution."""

from dataclasses import dataclass
from math import isfinite

PRIOR_STRENGTH = 2.0
"""How many observations a stored confidence is worth; with one of .5 the prior is flat (REQUIREMENTS C8)."""


@dataclass(frozen=True, slots=True)
class BetaPosterior:
    """Counts for and against, with what stood for them before anything was seen.

    Args:
        alpha: for, more than 0, or 0 where `beta` is more.
        beta: against, likewise.

    Raises:
        ValueError: counts that are negative, both 0, or no numbers.
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        counts = (self.alpha, self.beta)
        if not all(isfinite(count) and count >= 0 for count in counts) or not sum(counts):
            raise ValueError(f"counts for and against of 0 or more, not both 0, are needed; got {counts}")

    @property
    def mean(self) -> float:
        return self.alpha / (self.alpha + self.beta)

    def seen(self, helped: bool, weight: float = 1.0) -> "BetaPosterior":
        """With one more observation, of a weight of 0 or more."""
        if helped:
            return BetaPosterior(self.alpha + weight, self.beta)
        return BetaPosterior(self.alpha, self.beta + weight)


def match_prior(confidence: float, strength: float = PRIOR_STRENGTH) -> BetaPosterior:
    """The prior whose mean is a stored confidence in [0, 1].

    Raises:
        ValueError: the confidence is outside of it, or the strength is not above 0.
    """
    if not 0 <= confidence <= 1 or not strength > 0:
        raise ValueError(
            f"a confidence in [0, 1] and a strength above 0 are needed; got {confidence}, {strength}"
        )
    return BetaPosterior(confidence * strength, (1 - confidence) * strength)
