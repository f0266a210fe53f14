"""Shares of failure modes, with intervals that hold for all modes at once."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

MODES = ("distraction", "reliance", "premature")
OTHER, SUCCESS = "other", "success"
CODES = (*MODES, OTHER)
"""What a failure is coded as."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Failures by mode.

    Args:
        n: failures; with repeats the sum of the weights of their tasks.
        counts, shares, low, high: by mode; shares and ends of their intervals in [0, 1], None where n is 0.
        sison_glaz: ends by mode by the other method; empty where the counts are weights.
    """

    n: float
    counts: Mapping[str, float]
    shares: Mapping[str, float | None]
    low: Mapping[str, float | None]
    high: Mapping[str, float | None]
    sison_glaz: Mapping[str, tuple[float, float]]


def shares_of(counts: Mapping[str, float], alpha: float = 0.05) -> Shares:
    """Shares with Goodman's simultaneous intervals.

    A task weighs at most one, so intervals of weighted counts are too wide rather than too narrow.

    Source: Goodman 1965; Sison & Glaz 1995.
    """
    n = sum(counts.values())
    if n <= 0:
        nothing = dict.fromkeys(counts)
        return Shares(0, counts, nothing, nothing, nothing, {})
    from statsmodels.stats.proportion import multinomial_proportions_confint as ends

    numbers = np.array(list(counts.values()), dtype=float)
    if len(counts) == 1:
        found = np.array([[0.0, 1.0]])
    else:
        found = np.clip(ends(numbers, alpha=alpha, method="goodman"), 0.0, 1.0)
    whole = len(counts) > 1 and bool(np.all(numbers == np.round(numbers)))
    others = ends(numbers.astype(int), alpha=alpha, method="sison-glaz") if whole else []
    return Shares(
        n,
        counts,
        {mode: count / n for mode, count in counts.items()},
        dict(zip(counts, found[:, 0].tolist(), strict=True)),
        dict(zip(counts, found[:, 1].tolist(), strict=True)),
        {mode: (float(pair[0]), float(pair[1])) for mode, pair in zip(counts, others, strict=False)},
    )
