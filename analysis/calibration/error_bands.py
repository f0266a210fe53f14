"""Bands, how far an observed rate may lie from its promise, and claims: what is promised and counted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from types import MappingProxyType

import numpy as np

from memtrial.analysis.arrays import Bools, Floats
from memtrial.analysis.calibration.experiments import MeasuredContrast, units
from memtrial.analysis.calibration.measured_experiments import (
    RULES,
    Bench,
    ContrastCase,
    Setting,
    measure_case,
)
from memtrial.analysis.planning.power import ClosedForm

CHANCE = 0.001
"""Chance that a sound instrument leaves a band, two-sided where the band has two ends."""

Values = Bools | Floats
"""What was seen in each experiment, shape (n_experiments,): a hit or none, or an error of the estimate."""

Band = Callable[[Values], tuple[float, float]]
"""Values → the least and the largest mean of them that keeps the promise."""


@dataclass(frozen=True, slots=True)
class PromiseCheck:
    """One promise held against simulated experiments: it is kept from `low` to `high`."""

    name: str
    observed: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        return self.low <= self.observed <= self.high


def at_most(rate: float, slack: float = 0.0) -> Band:
    """An error rate that has to be kept; `slack` is allowed beyond chance, for a known approximation."""
    return lambda hits: (0.0, _chance(hits, rate, 1 - CHANCE) + slack)


def at_least(rate: float, slack: float = 0.0) -> Band:
    """A coverage or a power that has to be reached; more is welcome."""
    return lambda hits: (max(_chance(hits, rate, CHANCE) - slack, 0.0), 1.0)


def near(rate: float, slack: float) -> Band:
    """A rate that was promised as such; `slack` is allowed beyond chance on both sides."""
    return lambda hits: (
        max(_chance(hits, rate, CHANCE / 2) - slack, 0.0),
        min(_chance(hits, rate, 1 - CHANCE / 2) + slack, 1.0),
    )


def near_zero(slack: float) -> Band:
    """Errors whose mean is zero; `slack` is allowed beyond chance on both sides."""

    def band(errors: Values) -> tuple[float, float]:
        from scipy.stats import norm

        reach = float(norm.isf(CHANCE / 2)) * float(errors.std(ddof=1)) / sqrt(len(errors)) + slack
        return -reach, reach

    return band


unbiased = near_zero(0.0)


def _chance(hits: Values, rate: float, quantile: float) -> float:
    from scipy.stats import binom

    return float(binom.ppf(quantile, len(hits), rate)) / len(hits)


ALPHA = RULES.rules.alpha


@dataclass(frozen=True, slots=True)
class Row:
    """One planned check: the mean over experiments of what `see` returns has to lie in the band.

    The name is unique and says what is promised, for which participant, at which size.
    """

    name: str
    see: Callable[[Bench], Values]
    band: Band

    def check(self, bench: Bench) -> PromiseCheck:
        seen = self.see(bench)
        return PromiseCheck(self.name, float(seen.mean()), *self.band(seen))


COUNTS: Mapping[str, Callable[[MeasuredContrast, ContrastCase], Values]] = MappingProxyType(
    {
        "effect": lambda seen, _: seen.p <= ALPHA,
        "effect above": lambda seen, _: (seen.p <= ALPHA) & (seen.estimate > 0),
        "effect below": lambda seen, _: (seen.p <= ALPHA) & (seen.estimate < 0),
        "margin ruled out": lambda seen, _: seen.p_equivalence <= ALPHA,
        "truth held": lambda seen, case: (seen.low <= case.true.effect) & (case.true.effect <= seen.high),
        "zero held": lambda seen, _: (seen.low <= 0) & (seen.high >= 0),
        "disagreement": lambda seen, _: ((seen.low > 0) | (seen.high < 0)) != (seen.p <= ALPHA),
        "outside": lambda seen, case: (
            (seen.low < case.contrast.bounds[0] - 1e-9) | (seen.high > case.contrast.bounds[1] + 1e-9)
        ),
        "error": lambda seen, case: seen.estimate - case.true.effect,
        "width": lambda seen, case: ((seen.high - seen.low) / 2) ** 2 / _promised_width(case) - 1.0,
    }
)
"""What is counted in an experiment: a hit (0 or 1), the error of the estimate, or the relative excess of the
squared half width over the one that the true variance implies. `disagreement`: interval and p disagree about
zero; `outside`: an end of the interval is beyond what is possible."""


def on(name: str, case: ContrastCase, counts: str, band: Band) -> Row:
    """A check of one contrast; `counts` is a name of `COUNTS`."""
    return Row(name, lambda bench: COUNTS[counts](measure_case(bench, case), case), band)


def _promised_width(case: ContrastCase) -> float:
    """The mean squared half width of Student's t interval, exact whatever the shape of the contrasts.

    Records of tasks that do not depend on each other, and are all of one size, count as units.
    """
    from scipy.stats import t

    n = case.setting.tasks
    freedom = len(np.unique(units(case.who, n))) - 1
    return float(t.isf(ALPHA / 2, freedom)) ** 2 * case.true.parts.total(case.setting.repeats) / n


def power(name: str, case: ContrastCase) -> Row:
    """The share of experiments that show the effect, with the right sign, is the one that `plan` promises."""
    promised = closed_form(case).power(case.true.effect, case.setting.tasks)
    side = "effect above" if case.true.effect > 0 else "effect below"
    return on(name, case, side, near(promised, closeness(case.setting)))


def closed_form(case: ContrastCase) -> ClosedForm:
    """The closed form from which `plan` promises power for the case."""
    return ClosedForm(case.setting.repeats, case.true.parts, ALPHA)


def plan_tasks(case: ContrastCase, wanted: float) -> ContrastCase:
    """The case with as many tasks as `plan` asks for."""
    tasks = closed_form(case).tasks(case.true.effect, wanted)
    assert tasks is not None, f"{case}: no number of tasks shows the effect"
    return replace(case, setting=Setting(tasks, case.setting.repeats))


def closeness(setting: Setting) -> float:
    """Largest allowed difference between closed-form and simulated power (analysis/planning/power.py)."""
    return 0.03 if setting.tasks >= 60 else 0.05
