"""Interim looks: the results of each, and whether the run stops there; the e-process, valid at any time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis.result import Estimate
from memtrial.analysis.sequential.look_schedule import Looks
from memtrial.ledger.run_plan import Hypothesis, HypothesisLook, Look

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
    def n_looks(self) -> int:
        return len(self.looks.counts) if self.looks is not None else 1

    @property
    def when(self) -> str:
        if self.looks is None:
            return f"when all {self.tasks} tasks are played"
        number = min(self.last + 1, self.n_looks)
        count = self.looks.counts[number - 1]
        return f"at its looks, next at look {number} of {self.n_looks}, after {count} tasks"

    def crossed_looks(self, place: Hypothesis) -> tuple[HypothesisLook, ...]:
        return tuple(
            hypothesis
            for look in self.taken
            for hypothesis in look.seen
            if hypothesis.place == place and hypothesis.crossed
        )

    def overall(self, place: Hypothesis) -> tuple[float, int]:
        """The least repeated p-value of this hypothesis over the looks taken, and the look it comes from."""
        seen = [
            (hypothesis.overall, look.number)
            for look in self.taken
            for hypothesis in look.seen
            if hypothesis.place == place
        ]
        return min(seen, default=(1.0, self.last))

    def widen_by(self, freedom: float) -> float | None:
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
    """
    level = looks.levels[number - 1]
    seen = []
    for row in hypotheses:
        p = row.p_adjusted
        seen.append(
            HypothesisLook(
                place=place_of(row),
                estimate=row.estimate,
                p_adjusted=p,
                overall=1.0 if p is None else looks.overall(p, number),
                crossed=p is not None and p <= level,
            )
        )
    decided = {hypothesis.place for look in before for hypothesis in look.seen if hypothesis.crossed}
    decided |= {hypothesis.place for hypothesis in seen if hypothesis.crossed}
    enough = [hypothesis.place in decided for hypothesis in seen]
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
    stakes = np.array([*(-stake for stake in STAKES), *STAKES])
    bets = stakes[:, None] * np.asarray(contrasts, dtype=np.float64)[None, :]
    # log cosh without overflow
    growth = np.cumsum(bets - (np.logaddexp(bets, -bets) - np.log(2.0)), axis=1)
    return np.asarray(np.logaddexp.reduce(growth, axis=0) - np.log(len(stakes)))


def anytime_p(path: Floats) -> float:
    """A p-value that is valid at any stopping time: 1 over the largest E so far, at most 1."""
    return float(min(1.0, np.exp(-np.max(path, initial=0.0))))
