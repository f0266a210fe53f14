"""Whether items that are trusted with .8 help in 80 % of their uses: calibration of confidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, fsum

from memtrial.memory.bank.confidence.meter_figure import MeterFigure, estimate_share

N_BINS = 10
_EDGE = 1e-9


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The uses of items whose confidence was above `low` and at most `high`; the first bin has 0 as well.

    Args:
        confidence: the mean of them.
        helpful: the share that helped, with its 95 % interval.
    """

    low: float
    high: float
    n: int
    confidence: float
    helpful: MeterFigure


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well confidences foretell.

    Args:
        brier: the mean square of confidence less outcome; 0 is best.
        ece: the expected calibration error: the distance of confidence from share, over bins by their size.
        curve: the bins that are not empty, in order.
    """

    n: int
    brier: float
    ece: float
    curve: tuple[ReliabilityBin, ...]


def measure_reliability(
    confidences: Sequence[float], helpful: Sequence[bool], n_bins: int = N_BINS
) -> Reliability:
    """Hold confidences against what was then said of the items.

    Args:
        confidences: of an item each time it was rated, just before; in [0, 1].
        helpful: what was said, as many.
        n_bins: of equal width.

    Raises:
        ValueError: none, not as many of both, a confidence outside of [0, 1], or no bin.
    """
    n = len(confidences)
    if not n or len(helpful) != n or n_bins < 1:
        raise ValueError(
            f"one rating a confidence and a bin are needed; got {n}, {len(helpful)} and {n_bins} bins"
        )
    if wrong := [figure for figure in confidences if not 0 <= figure <= 1]:
        raise ValueError(f"confidences in [0, 1] are needed; got {wrong[0]}")
    pairs = list(zip(confidences, helpful, strict=True))
    binned: dict[int, list[tuple[float, bool]]] = {}
    for figure, helped in pairs:
        # .7 is in the bin that ends there, however its product is rounded
        number = max(ceil(figure * n_bins - _EDGE), 1)
        binned.setdefault(number, []).append((figure, helped))
    curve = tuple(_bin(number, n_bins, binned[number]) for number in sorted(binned))
    return Reliability(
        n,
        fsum((figure - helped) ** 2 for figure, helped in pairs) / n,
        fsum(part.n * abs(part.confidence - part.helpful.figure) for part in curve) / n,
        curve,
    )


def _bin(number: int, n_bins: int, pairs: Sequence[tuple[float, bool]]) -> ReliabilityBin:
    n = len(pairs)
    mean = fsum(figure for figure, _ in pairs) / n
    helped = estimate_share(sum(helped for _, helped in pairs), n)
    return ReliabilityBin((number - 1) / n_bins, number / n_bins, n, mean, helped)
