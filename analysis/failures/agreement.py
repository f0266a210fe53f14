"""Whether those who code failures agree: Cohen's kappa for two, Krippendorff's alpha for any number."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Codes = Mapping[str, Mapping[str, str]]
"""Code by case, by rater."""
DRAWS = 999
TENTATIVE, FIRM = 0.67, 0.80
"""Krippendorff's bounds for alpha."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree.

    Args:
        cases: coded by two raters or more.
        kappa: of the first two raters, with its interval; None where it is not defined.
        alpha: of all raters, with the percentile interval of a bootstrap of tasks.
        confusion: [code of the first rater, code of the second, cases].
    """

    raters: tuple[str, ...]
    cases: int
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    confusion: tuple[tuple[str, str, int], ...]

    @property
    def word(self) -> str:
        """What may be concluded from the codes."""
        if self.alpha is None or self.alpha < TENTATIVE:
            return "nothing may be concluded from these codes"
        return "firm" if self.alpha >= FIRM else "tentative conclusions only"


def agreement(codes: Codes, task_of: Mapping[str, str], rng: np.random.Generator) -> Agreement:
    """Agreement of raters.

    Args:
        codes: of at least two raters.
        task_of: the task of each case; tasks are what is drawn again.

    Source: Cohen 1960; Krippendorff 2004.
    """
    first, second, *_ = raters = tuple(codes)
    shared = [case for case in codes[first] if case in codes[second]]
    pairs = [(codes[first][case], codes[second][case]) for case in shared]
    kappa, low, high = _kappa(pairs)
    everything = Counter(case for of_rater in codes.values() for case in of_rater)
    twice = [case for case, n in everything.items() if n > 1]
    alpha, alpha_low, alpha_high = _alpha(codes, twice, [task_of.get(case, case) for case in twice], rng)
    counted = tuple((one, other, n) for (one, other), n in sorted(Counter(pairs).items()))
    return Agreement(raters, len(twice), kappa, low, high, alpha, alpha_low, alpha_high, counted)


def _kappa(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float | None, float | None]:
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import cohens_kappa

    labels = sorted({code for pair in pairs for code in pair})
    if len(labels) < 2:
        return None, None, None
    one, other = zip(*pairs, strict=True)
    table = np.zeros((len(labels), len(labels)))
    for left, right in pairs:
        table[labels.index(left), labels.index(right)] += 1
    found = cohens_kappa(table)
    return float(cohen_kappa_score(one, other)), float(found.kappa_low), float(found.kappa_upp)


def _alpha(
    codes: Mapping[str, Mapping[str, str]],
    cases: Sequence[str],
    tasks: Sequence[str],
    rng: np.random.Generator,
) -> tuple[float | None, float | None, float | None]:
    from krippendorff import alpha

    labels = sorted({code for of_rater in codes.values() for code in of_rater.values()})
    counts = np.array(
        [[sum(of.get(case) == label for of in codes.values()) for label in labels] for case in cases]
    )
    if len(labels) < 2 or not len(cases) or (counts.sum(axis=0) > 0).sum() < 2:
        return None, None, None
    names, unit = np.unique(np.array(tasks), return_inverse=True)
    drawn = []
    for weights in rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS):
        again = np.repeat(counts, weights[unit], axis=0)
        if (again.sum(axis=0) > 0).sum() > 1:
            drawn.append(float(alpha(value_counts=again, level_of_measurement="nominal")))
    ends = np.percentile(drawn, [2.5, 97.5]) if drawn else (np.nan, np.nan)
    value = float(alpha(value_counts=counts, level_of_measurement="nominal"))
    return value, *((float(end) if drawn else None) for end in ends)
