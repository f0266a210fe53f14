"""Claims: what counts in each experiment, and what `plan` and STATISTICS promise of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from loadbearing.analysis.calibration.bands import Band, Check, Values, near
from loadbearing.analysis.calibration.bench import RULES, Bench, Case, Setting, measured
from loadbearing.analysis.calibration.estimators import Measured
from loadbearing.analysis.planning.power import ClosedForm

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


def ruled_out(seen: Measured, _: Case) -> Values:
    """An effect at or beyond the margin is ruled out."""
    return seen.p_equivalence <= ALPHA


def held(seen: Measured, case: Case) -> Values:
    """The interval holds the true effect."""
    return (seen.low <= case.true.effect) & (case.true.effect <= seen.high)


def zero_held(seen: Measured, _: Case) -> Values:
    """The interval holds zero."""
    return (seen.low <= 0) & (seen.high >= 0)


def off(seen: Measured, case: Case) -> Values:
    """By how much the estimate is off."""
    return seen.estimate - case.true.effect


def wider(seen: Measured, case: Case) -> Values:
    """By which share the square of the half width exceeds the one that the true variance asks for.

    Of n contrasts with mean m and variance v, and two pseudo units +-1/R, the sum of squares about their
    common mean is n (v + m^2) + 2/R^2 - n^2 (v/n + m^2) / (n + 2) on average: exact, whatever the shape.
    Student's quantile on n + 1 degrees of freedom makes of it the interval of STATISTICS 1. Every task is
    a unit of its own.
    """
    from scipy.stats import t

    true, n, repeats = case.true, case.setting.tasks, case.setting.repeats
    variance = true.parts.total(repeats)
    squares = n * (variance + true.effect**2) + 2 / repeats**2
    about_mean = squares - n**2 / (n + 2) * (variance / n + true.effect**2)
    promised = float(t.isf(ALPHA / 2, n + 1)) ** 2 * about_mean / ((n + 1) * (n + 2))
    return ((seen.high - seen.low) / 2) ** 2 / promised - 1.0


def power(name: str, case: Case) -> Row:
    """The share of experiments that show the effect, on its side, is the one that `plan` promises."""
    on_its_side = above if case.true.effect > 0 else below
    return on(name, case, on_its_side, near(promised_power(case), closeness(case.setting)))


def closed_form(case: Case) -> ClosedForm:
    """What `plan` promises of the case."""
    true, repeats = case.true, case.setting.repeats
    return ClosedForm(repeats, true.parts, ALPHA, true.step / repeats)


def promised_power(case: Case) -> float:
    """Chance that `plan` gives to showing the effect."""
    return closed_form(case).power(case.true.effect, case.setting.tasks)


def planned(case: Case, wanted: float) -> Case:
    """The case with as many tasks as `plan` asks for."""
    tasks = closed_form(case).tasks(case.true.effect, wanted)
    assert tasks is not None, f"{case}: no number of tasks shows the effect"
    return replace(case, setting=Setting(tasks, case.setting.repeats))


def closeness(setting: Setting) -> float:
    """How well the closed form of power has to meet the test: analysis/planning/power.py."""
    return 0.03 if setting.tasks >= 60 else 0.05


def skewness(setting: Setting) -> float:
    """What coverage may lose where a unit's contrast is skewed: STATISTICS 11."""
    return 0.010 if setting.tasks >= 60 else 0.015
