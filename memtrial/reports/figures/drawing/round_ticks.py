"""Round numbers along an axis."""

from collections.abc import Sequence
from math import ceil, floor, log10

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def place_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from `low` to `high`, at the same distance, no more than `most` + 1 of them."""
    least = (high - low) / max(most, 1)
    power = 10.0 ** floor(log10(least))
    step = next(power * step for step in STEPS if power * step >= least * (1 - 1e-9))
    numbers = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    return [number * step for number in numbers]


def name_ticks(ticks: Sequence[float]) -> list[str]:
    """All with as many decimals as the one that needs most."""
    decimals = next((n for n in range(7) if all(abs(tick - round(tick, n)) < 1e-7 for tick in ticks)), 6)
    return [f"{tick:.{decimals}f}".replace("-", "−") for tick in ticks]
