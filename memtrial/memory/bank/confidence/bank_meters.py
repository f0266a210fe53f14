"""The six criteria of seeds/001 as meters: each says PASS, FAIL, or that there are not enough data.

PASS where the 95 % interval lies beyond the target, FAIL where it lies short of it. SC-005 has no interval:
it is the spread of the learnt weights over seven days, once there are 50 ratings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memtrial.memory.bank.confidence.item_signals import WeightsMoment
from memtrial.memory.bank.confidence.meter_figure import (
    MeterFigure,
    estimate_mean,
    estimate_ratio,
    estimate_share,
)
from memtrial.memory.bank.confidence.signal_weights import SIGNALS

Criterion = Literal["SC-001", "SC-002", "SC-003", "SC-004", "SC-005", "SC-006"]
MeterVerdict = Literal["PASS", "FAIL", "insufficient n"]
TARGETS: dict[Criterion, float] = {
    "SC-001": 0.80,
    "SC-002": 500.0,
    "SC-003": 0.30,
    "SC-004": 0.80,
    "SC-005": 0.10,
    "SC-006": 0.75,
}
SURE_ABOVE = 0.8
"""From which confidence on, strictly, SC-006 counts an item."""
LEAST_RATINGS = 50
WINDOW_DAYS = 7
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class MeterReading:
    """What a meter shows.

    Args:
        figure: with its interval; None without any data.
        above: the figure has to be above its target; else below it.
    """

    criterion: Criterion
    target: float
    above: bool
    figure: MeterFigure | None

    @property
    def verdict(self) -> MeterVerdict:
        if self.figure is None:
            return "insufficient n"
        low, high = self.figure.low, self.figure.high
        beyond, short = (low > self.target, high < self.target)
        if not self.above:
            beyond, short = short, beyond
        return "PASS" if beyond else "FAIL" if short else "insufficient n"


def meter_relevance(helpful: Sequence[bool]) -> MeterReading:
    """SC-001: more than 80 % of the shown items that were rated are rated helpful."""
    return _share("SC-001", helpful)


def meter_length(tokens: Sequence[float]) -> MeterReading:
    """SC-002: what is shown has fewer than 500 tokens on average."""
    return MeterReading("SC-002", TARGETS["SC-002"], False, estimate_mean(tokens) if tokens else None)


def meter_yield(yielded: Sequence[bool]) -> MeterReading:
    """SC-003: more than 30 % of the successful sessions yield an item."""
    return _share("SC-003", yielded)


def meter_repeats(with_guardrails: Sequence[bool], without: Sequence[bool]) -> MeterReading:
    """SC-004: with guardrails, mistakes are repeated at less than 80 % of the rate without.

    Args:
        with_guardrails: by occasion, whether a known mistake was repeated.
        without: the same, where no guardrail was shown.
    """
    figure = None
    if with_guardrails and without:
        figure = estimate_ratio(sum(with_guardrails), len(with_guardrails), sum(without), len(without))
    return MeterReading("SC-004", TARGETS["SC-004"], False, figure)


def meter_weights(history: Sequence[WeightsMoment], clock: float) -> MeterReading:
    """SC-005: after 50 ratings, the weight of no signal varies by 10 % of its mean or more within seven days.

    The figure is (largest - smallest) / mean of a weight over its values in the last seven days up to the
    clock, the one in force when they begin with them; of the three weights the largest.

    Args:
        history: the weights at the beginning and after each rating, in the order of time.
        clock: seconds since 1970.
    """
    past = [step for step in history if step.moment <= clock]
    n_ratings = len(past) - 1
    figure = None
    if n_ratings >= LEAST_RATINGS:
        begin = clock - WINDOW_DAYS * _DAY_S
        before = [step for step in past if step.moment <= begin][-1:]
        window = [*before, *(step for step in past if step.moment > begin)]
        spread = max(_spread([step.weights.weight(kind) for step in window]) for kind in SIGNALS)
        figure = MeterFigure(spread, spread, spread, n_ratings)
    return MeterReading("SC-005", TARGETS["SC-005"], False, figure)


def meter_calibration(confidences: Sequence[float], helpful: Sequence[bool]) -> MeterReading:
    """SC-006: of items with a confidence above .8 when they were rated, more than 75 % were rated helpful.

    Raises:
        ValueError: not one rating a confidence.
    """
    pairs = zip(confidences, helpful, strict=True)
    return _share("SC-006", [helped for confidence, helped in pairs if confidence > SURE_ABOVE])


def _share(criterion: Criterion, counted: Sequence[bool]) -> MeterReading:
    figure = estimate_share(sum(counted), len(counted)) if counted else None
    return MeterReading(criterion, TARGETS[criterion], True, figure)


def _spread(weights: Sequence[float]) -> float:
    mean = sum(weights) / len(weights)
    return (max(weights) - min(weights)) / mean
