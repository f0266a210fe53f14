"""Claims: what counts in each experiment, and the band in which the mean of it has to lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.bands import Band, Check, Values, near
from loadbearing.analysis.calibration.bench import RULES, Bench
from loadbearing.analysis.calibration.estimators import Measured
from loadbearing.analysis.calibration.observations import Case, measured
from loadbearing.analysis.calibration.promises import closeness, promised_power, promised_width

ALPHA = RULES.alpha


@dataclass(frozen=True, slots=True)
class Row:
    """One check to come.

    Args:
        name: what is promised, of whom, at which size; no two rows share one.
        see: what is seen in each experiment.
        band: in which the mean of it has to lie.
    """

    name: str
    see: Callable[[Bench], Values]
    band: Band

    def check(self, bench: Bench) -> Check:
        """The promise, held against what is seen on the bench."""
        seen = self.see(bench)
        return Check(self.name, float(seen.mean()), *self.band(seen))


Counts = Callable[[Measured, Case], Values]
"""What counts in each experiment: a hit or none, or the error of a number."""


def on(name: str, case: Case, counts: Counts, band: Band) -> Row:
    """A check of one contrast."""
    return Row(name, lambda bench: counts(measured(bench, case), case), band)


def shown(seen: Measured, _: Case) -> Values:
    """An effect is shown."""
    return seen.p <= ALPHA


def above(seen: Measured, _: Case) -> Values:
    """An effect above zero is shown."""
    return (seen.p <= ALPHA) & (seen.estimate > 0)


def below(seen: Measured, _: Case) -> Values:
    """An effect below zero is shown."""
    return (seen.p <= ALPHA) & (seen.estimate < 0)


def as_it_is(seen: Measured, case: Case) -> Values:
    """An effect is shown on the side of zero on which it lies."""
    return above(seen, case) if case.true.effect > 0 else below(seen, case)


def ruled_out(seen: Measured, _: Case) -> Values:
    """An effect at or beyond the margin is ruled out."""
    return seen.p_equivalence <= ALPHA


def held(seen: Measured, case: Case) -> Values:
    """The interval holds the true effect."""
    return (seen.low <= case.true.effect) & (case.true.effect <= seen.high)


def off(seen: Measured, case: Case) -> Values:
    """By how much the estimate is off."""
    return seen.estimate - case.true.effect


def wider(seen: Measured, case: Case) -> Values:
    """By which share the square of the half width exceeds the one that was promised."""
    return ((seen.high - seen.low) / 2) ** 2 / promised_width(case) - 1.0


def power(name: str, case: Case) -> Row:
    """The share of experiments that show an effect is the one that `plan` promises."""
    return on(name, case, as_it_is, near(promised_power(case), closeness(case.setting)))


def anywhere(hits: NDArray[np.bool_]) -> Values:
    """At least one of an experiment's columns."""
    return np.asarray(hits.any(axis=1))
