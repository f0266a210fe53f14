"""How far those who code failures or judge success agree, with each other and with what is true."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from memtrial.analysis.arrays import Rng

Codes = Mapping[str, Mapping[str, str]]
"""Code by case, by rater."""
Interval = tuple[float, float, float]
"""A value and the ends of its 95 % interval."""
DRAWS = 999
TENTATIVE, FIRM = 0.67, 0.80
"""Krippendorff's bounds for alpha."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree.

    Args:
        cases: coded by two raters or more.
        kappa: of the first two raters; None where it is not defined, and so is alpha.
        alpha: of all raters, with the percentile interval of a bootstrap of tasks.
        confusion: [code of the first rater, code of the second, cases].
    """

    raters: tuple[str, ...]
    cases: int
    kappa: Interval | None
    alpha: Interval | None
    confusion: tuple[tuple[str, str, int], ...]

    @property
    def word(self) -> str:
        """What may be concluded from the codes."""
        if self.alpha is None or self.alpha[0] < TENTATIVE:
            return "nothing may be concluded from these codes"
        return "firm" if self.alpha[0] >= FIRM else "tentative conclusions only"


def agreement(codes: Codes, task_of: Mapping[str, str], rng: Rng) -> Agreement:
    """Agreement of two raters or more; the tasks of the cases are what is drawn again.

    Source: Cohen 1960; Krippendorff 2004.
    """
    first, second, *_ = raters = tuple(codes)
    pairs = [(code, codes[second][case]) for case, code in codes[first].items() if case in codes[second]]
    everything = Counter(case for of_rater in codes.values() for case in of_rater)
    twice = [case for case, n in everything.items() if n > 1]
    alpha = _alpha(codes, twice, [task_of.get(case, case) for case in twice], rng)
    value, low, high = kappa(pairs) if pairs else (None, None, None)
    agreed = None if value is None or low is None or high is None else (value, low, high)
    counted = tuple((label, other, n) for (label, other), n in sorted(Counter(pairs).items()))
    return Agreement(raters, len(twice), agreed, alpha, counted)


def _alpha(codes: Codes, cases: Sequence[str], tasks: Sequence[str], rng: Rng) -> Interval | None:
    from krippendorff import alpha

    labels = sorted({code for of_rater in codes.values() for code in of_rater.values()})
    rows = [[sum(given.get(case) == label for given in codes.values()) for label in labels] for case in cases]
    counts = np.array(rows, dtype=float).reshape(len(cases), len(labels))
    if (counts.sum(axis=0) > 0).sum() < 2:
        return None
    names, unit = np.unique(np.array(tasks), return_inverse=True)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (counts.sum(axis=1) - 1)
    by_task = np.zeros((len(names), 1 + len(labels)))
    np.add.at(by_task, unit, np.column_stack([agreeing, counts]))
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS) @ by_task
    n, expected = drawn[:, 1:].sum(axis=1), (drawn[:, 1:] ** 2).sum(axis=1)
    several = expected < n**2  # a draw in which all codes are the same says nothing
    again = 1 - (n - 1)[several] * (n - drawn[:, 0])[several] / (n**2 - expected)[several]
    value = float(alpha(value_counts=counts, level_of_measurement="nominal"))
    low, high = np.percentile(again if len(again) else [value], [2.5, 97.5]).tolist()
    return value, low, high


def kappa(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float | None, float | None]:
    """Cohen's kappa with its asymptotic 95 % interval; all None where one of them said the same of all.

    Args:
        pairs: what each of the two said of a case; cases are taken as independent.

    Source: Cohen 1960; the variance is that of Fleiss, Cohen and Everitt 1969 (statsmodels).
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    if min(len({pair[rater] for pair in pairs}) for rater in (0, 1)) < 2:
        return None, None, None
    labels = sorted({label for pair in pairs for label in pair})
    table = [[sum(pair == (label, other) for pair in pairs) for other in labels] for label in labels]
    kappa = cohens_kappa(table)
    # the normal approximation knows no bounds
    return float(kappa.kappa), max(float(kappa.kappa_low), -1.0), min(float(kappa.kappa_upp), 1.0)


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
    solved = [judged == "success" for true, judged in pairs if true == "success"]
    failed = [judged == "failure" for true, judged in pairs if true == "failure"]
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
