"""The looks of a run: after how many tasks, and how small a family's p-value has to be at each."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from loadbearing.analysis.sequential.boundaries import (
    obrien_fleming,
    obrien_fleming_p,
    spending_boundaries,
    spending_p,
)

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Looks:
    """Looks as they are fixed before the first trial.

    Args:
        counts: tasks at each look, rising; the last is all of them.
        alpha: two-sided, over all looks and the whole family.
        family: hypotheses that are tested together, at least 1.
    """

    counts: tuple[int, ...]
    alpha: float
    family: int = 1

    @property
    def fractions(self) -> tuple[float, ...]:
        """Share of the tasks at each look."""
        return tuple(count / self.counts[-1] for count in self.counts)

    @property
    def equal(self) -> bool:
        """The looks are equally spaced; else alpha is spent by information (Lan-DeMets)."""
        n = len(self.counts)
        return all(count * n == place * self.counts[-1] for place, count in enumerate(self.counts, 1))

    @property
    def boundaries(self) -> tuple[float, ...]:
        """Of |z| of one hypothesis at its share of alpha; for a family of one, the family's."""
        share = _share(self.alpha, self.family)
        if self.equal:
            return tuple(map(float, obrien_fleming(len(self.counts), share)))
        return tuple(map(float, spending_boundaries(self.fractions, share)))

    @property
    def levels(self) -> tuple[float, ...]:
        """What the adjusted p-value of a hypothesis must not exceed at each look to be decided there.

        Each hypothesis alone has O'Brien and Fleming's boundary at its Sidak share 1 - (1 - alpha)^(1/m);
        this is the same in terms of p adjusted for all m. The error rate over looks and family is alpha
        for independent hypotheses and less for correlated ones (simulated, six hypotheses and five looks:
        .0505 at correlation 0, .049 at .5, .048 at 1; with the levels of a single hypothesis: .053, .052).
        """
        return tuple(_of_family(2 * (1 - _NORMAL.cdf(z)), self.family) for z in self.boundaries)

    def overall(self, p_adjusted: float, look: int) -> float:
        """The repeated p-value: the alpha at which the level of this look, counted from 1, is just reached.

        It is at most alpha exactly where p_adjusted is at most the level. The least over the looks taken
        is a p-value for the run as it stands.
        """
        alone = min(max(_share(p_adjusted, self.family), 1e-15), 1.0)
        z = -_NORMAL.inv_cdf(alone / 2)
        if self.equal:
            return _of_family(obrien_fleming_p(z, look, len(self.counts)), self.family)
        return _of_family(spending_p(z, self.fractions, look), self.family)


def looks_at(sizes: Sequence[int], looks: int, alpha: float, family: int = 1) -> Looks:
    """Looks at equally spaced counts of tasks, each moved on to the end of a cluster.

    Args:
        sizes: tasks of each cluster, in the order of playing; ones where tasks are independent.

    Raises:
        ValueError: fewer clusters than looks, or clusters so large that two looks would fall together.
    """
    ends = np.cumsum(np.asarray(sizes, dtype=np.int64))
    total = int(ends[-1]) if len(ends) else 0
    wanted = [-(-total * k // looks) for k in range(1, looks + 1)]
    counts = tuple(int(ends[np.searchsorted(ends, count)]) for count in wanted) if total else ()
    if len(set(counts)) < looks or (looks > 1 and len(sizes) < 2 * looks):
        raise ValueError(
            f"{looks} looks need at least {2 * looks} clusters of like size; got {len(sizes)} clusters of"
            f" {total} tasks"
        )
    return Looks(counts, alpha, family)


def _share(alpha: float, family: int) -> float:
    """A single hypothesis' part of a family's rate (Sidak)."""
    return float(-np.expm1(np.log1p(-min(alpha, 1 - 1e-15)) / family))


def _of_family(alpha: float, family: int) -> float:
    return float(min(1.0, -np.expm1(family * np.log1p(-min(alpha, 1 - 1e-15)))))
