"""The looks of a run: after how many tasks, and how small a family's p-value has to be at each."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from memtrial.analysis.arrays import Floats

_NORMAL = NormalDist()
_NEVER = 1e-16  # alpha too small to be told from none
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(120)  # of one look: 1e-9 of the probability for ten looks
_FAR = 9.0  # standard errors beyond which nothing is


def obrien_fleming(looks: int, alpha: float) -> Floats:
    """Boundaries of |z| for equally spaced looks, shape (looks,): c sqrt(looks / k) at the k-th.

    Source: O'Brien & Fleming 1979; constants of Jennison & Turnbull 1999, table 2.3 (2.040 for five looks
        at .05).
    """
    from scipy.optimize import brentq

    fractions = np.arange(1, looks + 1) / looks
    shape = 1 / np.sqrt(fractions)

    def too_much(c: float) -> float:
        return float(crossing_chances(c * shape, fractions)[-1]) - alpha

    return np.asarray(brentq(too_much, 1e-3, 9.0, xtol=1e-9) * shape)


def obrien_fleming_p(z: float, look: int, looks: int) -> float:
    """The alpha at which the boundary for equally spaced looks passes through |z| at the k-th: repeated p.

    Source: Jennison & Turnbull 1999, section 9.5.
    """
    fractions = np.arange(1, looks + 1) / looks
    c = abs(z) * np.sqrt(look / looks)
    return 1.0 if c < 1e-3 else min(1.0, float(crossing_chances(c / np.sqrt(fractions), fractions)[-1]))


def spend_alpha(fraction: float, alpha: float) -> float:
    """Two-sided alpha that may be used up by an information fraction: 2 - 2 Phi(z / sqrt(t)) on each side.

    Source: Lan & DeMets 1983, the spending function like O'Brien and Fleming's.
    """
    z = _NORMAL.inv_cdf(1 - alpha / 4)
    return min(alpha, 4 * (1 - _NORMAL.cdf(z / np.sqrt(fraction))))


def spending_boundaries(fractions: Sequence[float], alpha: float) -> Floats:
    """Boundaries of |z| at rising information fractions in (0, 1], shape (n_looks,).

    9 where next to nothing may be spent. What is left at the last look is spent there, also if its
    fraction is under 1.
    """
    from scipy.optimize import brentq

    boundaries: list[float] = []
    used = 0.0
    for look, fraction in enumerate(fractions, 1):
        upto = alpha if look == len(fractions) else spend_alpha(float(fraction), alpha)
        if upto - used < _NEVER:
            boundaries.append(_FAR)
            continue

        def too_much(z: float, look: int = look, upto: float = upto) -> float:
            return float(crossing_chances([*boundaries[: look - 1], z], fractions[:look])[-1]) - upto

        boundaries.append(float(brentq(too_much, 1e-6, 8.9, xtol=1e-9)))
        used = upto
    return np.asarray(boundaries)


def spending_p(z: float, fractions: Sequence[float], look: int) -> float:
    """The alpha at which the spending boundary passes through |z| at the k-th look: repeated p."""
    from scipy.optimize import brentq

    def beyond(log_alpha: float) -> float:
        return float(spending_boundaries(fractions, float(np.exp(log_alpha)))[look - 1]) - abs(z)

    least, most = np.log(1e-10), np.log(0.99)
    if abs(z) > 8.0 or beyond(least) < 0:
        return float(np.exp(least))
    if beyond(most) > 0:
        return 1.0
    return float(np.exp(brentq(beyond, least, most, xtol=1e-6)))


def crossing_chances(boundaries: Sequence[float] | Floats, fractions: Sequence[float] | Floats) -> Floats:
    """Chance that |z| has reached its boundary by each look, if there is no effect; shape (n_looks,), rising.

    The density of a Brownian path inside the boundaries is carried from look to look by quadrature.
    Fractions of the information rise in (0, 1].

    Source: Armitage, McPherson & Rowe 1969; Jennison & Turnbull 1999, chapter 19.
    """
    from scipy.special import ndtr

    times = np.asarray(fractions, dtype=np.float64)
    edges = np.minimum(np.asarray(boundaries, dtype=np.float64), _FAR) * np.sqrt(times)
    crossed = np.zeros(len(times))
    crossed[0] = 2 * ndtr(-float(boundaries[0]))
    place = _NODES * edges[0]
    mass = _normal(place, np.sqrt(times[0])) * _WEIGHTS * edges[0]
    for look in range(1, len(times)):
        edge, step = edges[look], np.sqrt(times[look] - times[look - 1])
        out = mass @ (ndtr((place - edge) / step) + ndtr((-place - edge) / step))
        crossed[look] = crossed[look - 1] + out
        new = _NODES * edge
        mass = (mass @ _normal(new[None, :] - place[:, None], step)) * _WEIGHTS * edge
        place = new
    return crossed


def _normal(values: Floats, sd: float) -> Floats:
    return np.asarray(np.exp(-0.5 * (values / sd) ** 2) / (sd * np.sqrt(2 * np.pi)))


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
        this is the same in terms of p adjusted for all m (error of six hypotheses at five looks, simulated:
        .0505 at correlation 0, .049 at .5, .048 at 1).
        """
        return tuple(_of_family(2 * (1 - _NORMAL.cdf(z)), self.family) for z in self.boundaries)

    def overall(self, p_adjusted: float, look: int) -> float:
        """The repeated p-value: the alpha at which the level of this look, from 1, is just reached."""
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
    return float(-np.expm1(np.log1p(-min(alpha, 1 - 1e-15)) / family))


def _of_family(alpha: float, family: int) -> float:
    return float(min(1.0, -np.expm1(family * np.log1p(-min(alpha, 1 - 1e-15)))))
