"""What an item is trusted with when it is written (REQUIREMENTS C4)."""

from typing import Literal

from memtrial.memory.bank.bank_item import Outcome

InitialPolicy = Literal["linear", "product"]
EXPLICIT = 0.8
"""Of an item that a person recorded (seeds/001)."""
UNSTATED = 0.5
"""A judge's confidence where it states none."""
_RANGES: dict[Outcome, tuple[float, float]] = {"success": (0.70, 0.85), "failure": (0.60, 0.75)}
_PRIORS: dict[Outcome, float] = {"success": 0.7, "failure": 0.6}


def initialise_confidence(
    outcome: Outcome, judged: float | None = None, policy: InitialPolicy = "linear"
) -> float:
    """What a distilled item begins with, in [0, 1].

    Args:
        outcome: of its trajectory.
        judged: how sure the judge was of that, in [0, 1]; None counts as .5.
        policy: `linear`: between .70 and .85 for a success, .60 and .75 for a failure. `product`: the judge's
            confidence times .7 or .6; it never exceeds .7, so that a floor strictly above .7 shows no
            distilled item.

    Raises:
        ValueError: the judge's confidence is outside of [0, 1], or no number.
    """
    sure = UNSTATED if judged is None else judged
    if not 0 <= sure <= 1:
        raise ValueError(f"a judge's confidence in [0, 1] is needed, or none; got {judged}")
    if policy == "product":
        return sure * _PRIORS[outcome]
    low, high = _RANGES[outcome]
    return low + (high - low) * sure
