"""What one method says about one estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scale = Literal["score", "log-odds", "share"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One method's answer; a number is finite, or None and `note` says why.

    Args:
        method: its name in a table.
        estimate: on `scale`.
        low: lower end of the 1 - alpha interval; None where the method has none.
        high: its upper end.
        p: two-sided p-value against zero; None where the method has none.
        note: what it rests on, or why it says nothing. May be empty.
        scale: points of score, log-odds, or a share of the utility.
    """

    method: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    note: str = ""
    scale: Scale = "score"

    @property
    def excludes_zero(self) -> bool | None:
        """Whether the interval leaves zero out; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0


def not_estimable(method: str, why: str, estimate: float | None = None, scale: Scale = "score") -> Reading:
    """A reading without inference, and the reason."""
    return Reading(method, estimate, note=f"not estimable: {why}", scale=scale)
