"""How wrong a judge of success is, and what that does to effects on success."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True)
class JudgeRates:
    """A judge held against what is true.

    Args:
        solved, failed: trials that truly are so.
        sensitivity, specificity: share of these that the judge calls so, each with its 95 % interval; None
            without one.
        kept: sensitivity + specificity - 1, the part of an effect on success that the judge lets through.
        kept_low: its lower 95 % limit.
    """

    solved: int
    failed: int
    sensitivity: tuple[float, float, float] | None
    specificity: tuple[float, float, float] | None
    kept: float | None
    kept_low: float | None


def judge_rates(pairs: Sequence[tuple[str, str]]) -> JudgeRates:
    """Rates from pairs of what is true and what was said, `success` or `failure`.

    A judge who knows neither arm nor damage errs alike in all cells. Then each mean of what it says is a
    linear function of the true one, with the slope `kept`: differences shrink by that factor, the p-value of
    no difference stays as it is, and a margin of m points of truth is m times the factor in what is said.

    Source: Rogan & Gladen 1978; Wilson 1927 for the intervals.
    """
    solved = [said == "success" for true, said in pairs if true == "success"]
    failed = [said == "failure" for true, said in pairs if true == "failure"]
    sensitivity, specificity = _share(solved), _share(failed)
    kept = low = None
    if sensitivity is not None and specificity is not None:
        kept = sensitivity[0] + specificity[0] - 1
        # the distance to each lower end, put together as for a sum of independent shares
        reach = sqrt((sensitivity[0] - sensitivity[1]) ** 2 + (specificity[0] - specificity[1]) ** 2)
        low = kept - reach
    return JudgeRates(len(solved), len(failed), sensitivity, specificity, kept, low)


def _share(right: Sequence[bool]) -> tuple[float, float, float] | None:
    if not right:
        return None
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(sum(right), len(right), method="wilson")
    return sum(right) / len(right), float(low), float(high)
