"""The same question asked of other tasks in every cell: what pairing saves."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import NormalDist


def unpaired_episodes(
    effect: float, rates: Sequence[float], wanted: float = 0.80, alpha: float = 0.05
) -> int:
    """Episodes that an unpaired comparison needs, all cells together, one episode a task.

    Args:
        effect: contrast of the cells' means, its sign does not matter.
        rates: success rate of each cell of the contrast, in [0, 1].
        wanted: power.
        alpha: two-sided.

    Raises:
        ValueError: an effect of 0, or a rate outside [0, 1].

    Source: normal theory for independent proportions, (z + z)^2 sum p(1-p) / effect^2 in each cell;
        STATISTICS 4.
    """
    if not effect:
        raise ValueError("an effect of 0 cannot be shown with any number of episodes")
    if not all(0.0 <= rate <= 1.0 for rate in rates):
        raise ValueError(f"success rates lie in [0, 1]; got {list(rates)}")
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(wanted)
    return len(rates) * ceil(reach**2 * sum(rate * (1 - rate) for rate in rates) / effect**2)
