"""Power in closed form: how likely the sign flip shows an effect, and what it takes.

Student's t on the units' contrasts, with corrections that simulation asks for. Where units (clusters of
tasks) differ in size or are few, analysis/planning/unequal_units.py says what the flips require. Flipping a
unit's sign moves the sum in steps of 2/R, and a p-value that counts ties gives half a step away: the effect
is shifted by 1/(nR), Yates' correction. It is what STATISTICS 11 means by 5 % more tasks at R <= 2, and
serves at every n and R. And where nearly all or hardly any tasks succeed contrasts are skewed, and t is the
more powerful. With all of them promised and simulated power lie within .03 for base rates .1 to .9 and for
clusters of any sizes, as long as ten or more units can be expected to differ at all, and a family has eight
units or more (tests/test_planning_simulated.py); below that `plan` simulates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, nan, sqrt
from statistics import NormalDist

from loadbearing.analysis.planning.effective_tasks import Clustering, independent
from loadbearing.analysis.planning.unequal_units import attained, critical, reached, units_of
from loadbearing.analysis.planning.variance import NORMAL, Parts, Shape

MOST_TASKS = 1_000_000
"""Where a search for tasks ends."""
_CERTAIN, _WRONG_SIDE = 38.0, 4.0  # standard errors
_LEAST_SPREAD = 0.05


@dataclass(frozen=True, slots=True)
class Precision:
    """How precisely a number of tasks measures a contrast.

    Args:
        se: standard error of its mean over tasks.
        units: of inference: tasks, or clusters where tasks share one.
    """

    se: float
    units: int


@dataclass(frozen=True, slots=True)
class Among:
    """The family in which a contrast is tested.

    Args:
        size: contrasts in it.
        alpha: of the family; None: that of the test, which is alone.
    """

    size: int = 1
    alpha: float | None = None

    def kept(self, own: float, units: int) -> float:
        """The share of its level that so many units attain; 0 where no p-value is low enough."""
        whole = own if self.alpha is None else self.alpha
        return attained(whole, units) / whole


ALONE = Among()


def precision(n_tasks: int, repeats: int, parts: Parts, clusters: Clustering | None) -> Precision:
    """Standard error of the mean over tasks, each of the same weight, and its degrees of freedom.

    Args:
        clusters: of some number of tasks; scaled to `n_tasks` in the same shares. None: no two share one.

    Raises:
        ValueError: fewer than two tasks or no repeat.

    Source: variance of a mean over clusters of different size, Kish 1965, section 8.2.
    """
    if n_tasks < 2 or repeats < 1:
        raise ValueError(f"power needs at least 2 tasks and 1 repeat; got {n_tasks} tasks, {repeats} repeats")
    held = independent(n_tasks) if clusters is None else clusters.scaled(n_tasks)
    variance = parts.total(repeats) + (held.kish_size - 1) * parts.cluster
    return Precision(sqrt(variance / n_tasks), held.n_clusters)


def power(
    effect: float,
    n_tasks: int,
    repeats: int,
    parts: Parts,
    alpha: float = 0.05,
    clusters: Clustering | None = None,
    grain: float | None = None,
    shape: Shape = NORMAL,
    family: Among = ALONE,
) -> float:
    """Chance that the two-sided sign flip rejects.

    Args:
        effect: true mean of the contrast over tasks, in points of score; the sign does not matter.
        n_tasks: at least 2.
        repeats: of each cell, at least 1.
        parts: variance parts of the contrast.
        alpha: of this test; in a family, the share that `each_alpha` gives it.
        clusters: how tasks share records or families; none: each stands for itself. Scaled to `n_tasks`.
        grain: smallest step of a task's contrast. Unless named 1/R, that of successes and failures; 0 for
            scores without steps, which gives the power of Student's t. In a family the others' steps blur
            one's own: 1/R divided by its size.
        shape: of a task's contrast, from a scenario; it matters where nearly all or hardly any succeed.
        family: in which it is tested.

    Raises:
        ValueError: a number out of range.

    Source: noncentral t, Imhof 1961 where clusters differ in size; correction for steps after Yates 1934;
        STATISTICS 4.
    """
    from scipy.stats import nct

    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha lies between 0 and 1, got {alpha!r}")
    found = precision(n_tasks, repeats, parts, clusters)
    step = 1.0 / repeats if grain is None else grain
    shift = max(abs(effect) - step / n_tasks, 0.0)
    level = alpha * family.kept(alpha, found.units)
    if not level:
        return 0.0  # no p-value is that small: all signs alike are one of 2^(units - 1) ways
    if found.se == 0:
        return 1.0 if shift > 0 else 0.0
    held = independent(n_tasks) if clusters is None else clusters.scaled(n_tasks)
    units = units_of(shift, parts, repeats, held)
    least = critical(units, level, family.size)
    n, distance = found.units, shift / found.se
    reach = least * sqrt((n - 1) / (n - least**2))  # of Student's t, were all units of one size
    if distance > _CERTAIN:
        whole = 1.0 if distance > 2 * reach else 0.0
    elif len(units.number) > 1:
        whole = reached(units, least)
    else:
        # the wrong side: nothing beyond some distance, where scipy no longer finds it either
        wrong = float(nct.cdf(-reach, n - 1, distance)) if distance < _WRONG_SIDE else 0.0
        whole = float(nct.sf(reach, n - 1, distance)) + wrong
    n_effective = parts.total(repeats) / found.se**2
    skewed = _normal(distance, reach, n_effective, shape) - _normal(distance, reach, n_effective, NORMAL)
    return min(max(whole + skewed, 0.0), 1.0)


def _normal(distance: float, reach: float, n: float, shape: Shape) -> float:
    """Power in normal theory, where the standard error goes with the mean as skew and kurtosis say.

    The statistic rejects where mean - reach x its own standard error is above 0; that difference has the
    variance 1 - reach x skew / sqrt(n) + reach^2 (kurtosis + 2) / (4n), in squared standard errors.
    """
    spread = 1 - reach * shape.skew / sqrt(n) + reach**2 * (shape.kurtosis + 2) / (4 * n)
    mean = distance - reach * (1 - (shape.kurtosis + 2) / (8 * n))
    return NormalDist().cdf(mean / sqrt(max(spread, _LEAST_SPREAD)))


def n_tasks(
    effect: float,
    repeats: int,
    parts: Parts,
    wanted: float = 0.80,
    alpha: float = 0.05,
    clusters: Clustering | None = None,
    grain: float | None = None,
    shape: Shape = NORMAL,
    family: Among = ALONE,
) -> int | None:
    """The fewest tasks with the wanted power; None where no number has it.

    Tasks that fall into few clusters are worth no more than the clusters, however many they are.

    Args:
        wanted: power, between 0 and 1. The others are those of `power`.

    Raises:
        ValueError: a number out of range, or an effect of 0.
    """
    if not effect:
        raise ValueError(
            "an effect of 0 cannot be shown with any number of tasks; name the smallest that matters"
        )
    if not alpha < wanted < 1.0:
        raise ValueError(f"the wanted power lies between alpha and 1, got {wanted!r}")
    return fewest(lambda n: power(effect, n, repeats, parts, alpha, clusters, grain, shape, family) >= wanted)


def detectable(
    n_tasks: int,
    repeats: int,
    parts: Parts,
    wanted: float = 0.80,
    alpha: float = 0.05,
    clusters: Clustering | None = None,
    grain: float | None = None,
    shape: Shape = NORMAL,
    family: Among = ALONE,
) -> float:
    """The smallest effect with the wanted power, in points of score; NaN where none up to 2 has it.

    Args:
        wanted: power, between 0 and 1. The others are those of `power`.

    Raises:
        ValueError: a number out of range.
    """
    from scipy.optimize import brentq

    if not alpha < wanted < 1.0:
        raise ValueError(f"the wanted power lies between alpha and 1, got {wanted!r}")

    def short(effect: float) -> float:
        return power(effect, n_tasks, repeats, parts, alpha, clusters, grain, shape, family) - wanted

    if short(2.0) < 0:
        return nan
    return float(brentq(short, 0.0, 2.0, xtol=1e-7))


def fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of tasks, from 2 to a million, that is enough, where more are never worse."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TASKS:
            return None
    while high - low > 1:
        middle = ceil((low + high) / 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
