"""Looks at a run before it ends: after how many tasks, how small a p-value has to be, and what each finds.

Beside them the e-process, whose evidence is valid at any time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from loadbearing.analysis.arrays import Floats
from loadbearing.analysis.result import Estimate
from loadbearing.ledger.run_plan import Hypothesis, Look, Seen

_NORMAL = NormalDist()
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(120)  # of one look: 1e-9 of the probability for ten looks
_FAR = 9.0  # standard errors beyond which nothing is


def obrien_fleming(fractions: Sequence[float] | Floats, alpha: float) -> Floats:
    """Boundaries of |z| at rising information fractions, the last of them 1: c / sqrt(fraction) at each.

    The fractions are fixed before the first trial, so that alpha is kept exactly however they are spaced.

    Source: O'Brien & Fleming 1979; constants of Jennison & Turnbull 1999, table 2.3 (2.040 for five equal
        looks at .05).
    """
    from scipy.optimize import brentq

    shape = 1 / np.sqrt(np.asarray(fractions))

    def too_much(c: float) -> float:
        return float(crossing(c * shape, fractions)[-1]) - alpha

    return np.asarray(brentq(too_much, 1e-3, 9.0, xtol=1e-9) * shape)


def obrien_fleming_p(z: float, look: int, fractions: Sequence[float] | Floats) -> float:
    """The alpha at which the boundary passes through |z| at the k-th look: repeated p.

    Source: Jennison & Turnbull 1999, section 9.5.
    """
    c = abs(z) * np.sqrt(fractions[look - 1])
    return 1.0 if c < 1e-3 else min(1.0, float(crossing(c / np.sqrt(fractions), fractions)[-1]))


def crossing(boundaries: Sequence[float] | Floats, fractions: Sequence[float] | Floats) -> Floats:
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
        n = len(self.counts)
        return all(count * n == place * self.counts[-1] for place, count in enumerate(self.counts, 1))

    @property
    def boundaries(self) -> tuple[float, ...]:
        """Of |z| of one hypothesis at its share of alpha; for a family of one, the family's."""
        return tuple(obrien_fleming(self.fractions, _share(self.alpha, self.family)).tolist())

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
        return _of_family(obrien_fleming_p(z, look, self.fractions), self.family)


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


Stop = Literal["all", "any"]


@dataclass(frozen=True, slots=True)
class LockedLooks:
    """What a lock says about when the hypotheses are decided, and how far the run is.

    Args:
        looks: as fixed before the first trial; None: they are decided once, when all `tasks` are played.
        complete: all planned data are there, or the run stopped at a look.
    """

    looks: Looks | None
    taken: tuple[Look, ...]
    complete: bool
    tasks: int

    @property
    def in_force(self) -> bool:
        """Whether the run is over, and p-values and intervals have to hold over several looks."""
        return self.complete and self.looks is not None and bool(self.taken)

    @property
    def last(self) -> int:
        return self.taken[-1].number if self.taken else 0

    @property
    def planned(self) -> int:
        return len(self.looks.counts) if self.looks is not None else 1

    @property
    def when(self) -> str:
        if self.looks is None:
            return f"when all {self.tasks} tasks are played"
        number = min(self.last + 1, self.planned)
        count = self.looks.counts[number - 1]
        return f"at its looks, next at look {number} of {self.planned}, after {count} tasks"

    def crossed(self, place: Hypothesis) -> tuple[Seen, ...]:
        return tuple(one for look in self.taken for one in look.seen if one.place == place and one.crossed)

    def overall(self, place: Hypothesis) -> tuple[float, int]:
        """The least repeated p-value of this hypothesis over the looks taken, and the look it comes from."""
        seen = [(one.overall, look.number) for look in self.taken for one in look.seen if one.place == place]
        return min(seen, default=(1.0, self.last))

    def widening(self, freedom: float) -> float | None:
        """The boundary of the last look over Student's 1 - alpha quantile; None if it is 8 or more."""
        from scipy.stats import norm, t

        assert self.looks is not None
        boundary = self.looks.boundaries[self.last - 1]
        if boundary >= 8:
            return None
        return float(t.isf(norm.sf(boundary), freedom) / t.isf(self.looks.alpha / 2, freedom))


def place_of(row: Estimate) -> Hypothesis:
    """The hypothesis that a contrast is about."""
    return (row.backbone, row.arm, row.versus, row.condition)


def take_look(
    hypotheses: Sequence[Estimate], looks: Looks, number: int, before: Sequence[Look], rule: Stop
) -> Look:
    """Compare the hypotheses with the level of a look.

    A hypothesis decided at an earlier look stays decided. `all`: the run stops when all are decided;
    `any`: when one is. It always stops at the last look.

    Args:
        hypotheses: rows of the primary family, from the tasks of this look alone.
        number: of this look, counted from 1.
        before: all looks taken so far.

    Raises:
        ValueError: `number` is not the next look.
    """
    if number != len(before) + 1 or number > len(looks.counts):
        raise ValueError(f"look {len(before) + 1} of {len(looks.counts)} is next, got {number}")
    level = looks.levels[number - 1]
    seen = []
    for row in hypotheses:
        p = row.p_adjusted
        seen.append(
            Seen(
                place=place_of(row),
                estimate=row.estimate,
                p_adjusted=p,
                overall=1.0 if p is None else looks.overall(p, number),
                crossed=p is not None and p <= level,
            )
        )
    decided = {one.place for look in before for one in look.seen if one.crossed}
    decided |= {one.place for one in seen if one.crossed}
    enough = [one.place in decided for one in seen]
    stop = bool(enough) and (all(enough) if rule == "all" else any(enough))
    stop = stop or number == len(looks.counts)
    return Look(number=number, tasks=looks.counts[number - 1], level=level, seen=tuple(seen), stop=stop)


STAKES = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Sizes of the bets, each with both signs; the e-process is the mean over them."""


def log_e(contrasts: Floats) -> Floats:
    """Natural logarithm of the e-process after each unit, shape (n_units,).

    E_t is the mean over stakes l in +-{.1, .2, .4, .8, 1.6} of the product over s <= t of
    exp(l d_s) / cosh(l d_s). If both signs of each unit are equally likely, given its size and all units
    before it, E_t is a martingale that starts at 1: the chance that it ever reaches 1/alpha is at most
    alpha. It tests the hypothesis of the primary test and needs no bound on the contrasts.

    Args:
        contrasts: one number a unit (task or cluster), in the order of the plan; nothing missing.

    Source: de la Pena 1999; Howard, Ramdas, McAuliffe & Sekhon 2021.
    """
    stakes = np.array([*(-one for one in STAKES), *STAKES])
    bets = stakes[:, None] * np.asarray(contrasts, dtype=np.float64)[None, :]
    # log cosh without overflow
    growth = np.cumsum(bets - (np.logaddexp(bets, -bets) - np.log(2.0)), axis=1)
    return np.asarray(np.logaddexp.reduce(growth, axis=0) - np.log(len(stakes)))


def anytime_p(path: Floats) -> float:
    """A p-value that is valid at any stopping time: 1 over the largest E so far, at most 1."""
    return float(min(1.0, np.exp(-np.max(path, initial=0.0))))
