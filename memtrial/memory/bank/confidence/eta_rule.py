"""Document 003's step rule for confidence, kept to be compared with the Beta posterior (REQUIREMENTS C5)."""

from collections.abc import Iterable
from dataclasses import dataclass

ETA = 0.05
"""The document's step."""
LOSS_STEP = 0.5
"""A failure counts half as much as a success."""


@dataclass(frozen=True, slots=True)
class EtaRule:
    """One step of `eta` up for each success that cited an item, half of one down for each failure, within [0,
    1].

    It drifts: an item whose citing tasks succeed more often than in one of three rises to 1 in the end,
    whatever its share; one that helps in 40 % of its tasks ends where one does that helps in all of them.

    Raises:
        ValueError: `eta` is not above 0 and at most 1.
    """

    eta: float = ETA
    name: str = "eta"

    def __post_init__(self) -> None:
        if not 0 < self.eta <= 1:
            raise ValueError(f"a step in (0, 1] is needed; got {self.eta}")

    def follow(self, confidence: float, outcomes: Iterable[bool]) -> float:
        """The confidence after tasks that cited the item, in their order."""
        for succeeded in outcomes:
            step = self.eta if succeeded else -self.eta * LOSS_STEP
            confidence = min(1.0, max(0.0, confidence + step))
        return confidence

    def drift(self, share: float) -> float:
        """What a citation changes on average, where this share of the citing tasks succeeds; 0 at a third."""
        return self.eta * (share - LOSS_STEP * (1 - share))
