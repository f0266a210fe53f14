"""Near floor and ceiling no difference seen is no certainty; everywhere intervals are as wide as promised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.bands import Check, at_least, at_most, near, unbiased
from loadbearing.analysis.calibration.bench import LARGE, SMALL, Bench, Setting
from loadbearing.analysis.calibration.cast import (
    CEILING_HARMED,
    CEILING_LOST,
    FLOOR_LIFTED,
    SURE,
    follower,
    two_arms,
)
from loadbearing.analysis.calibration.checks_error import APART, DROP
from loadbearing.analysis.calibration.estimators import Measured
from loadbearing.analysis.calibration.participants import Participant, Truth, truth
from loadbearing.analysis.estimands.contrast import Contrast

TINY = Setting(12, 1)
EDGES = (FLOOR_LIFTED, CEILING_LOST, CEILING_HARMED)
"""An effect where most tasks show none: Student's t alone covers it in 69, 69 and 87 % of 12 tasks."""
INSIDE: tuple[tuple[Participant, Contrast], ...] = ((follower(0.5), DROP), (two_arms(0.1, 0.5), APART))
"""Away from the edges, where the interval's promise is exact and not a bound."""


def edges(bench: Bench) -> tuple[Check, ...]:
    """Coverage of effects near the edges, equivalence from samples without a difference, and width."""
    checks = []
    for setting in (TINY, SMALL):
        for who in EDGES:
            true, seen = truth(who, DROP.weights), bench.measured(who, DROP, setting)
            what = f"{who.name}, {setting}"
            checks.append(at_least(f"coverage at the edge: {what}", held(seen, true), 1 - bench.plan.alpha))
            checks.append(width(f"width at the edge: {what}", seen, true, setting, bench.plan.alpha))
        ruled_out = bench.measured(SURE, DROP, setting).p_equivalence <= bench.plan.alpha
        name = f"equivalence error without a difference seen: {SURE.name}, {setting}"
        checks.append(at_most(name, ruled_out, bench.plan.alpha, 0.01))
    return tuple(checks)


def inside(bench: Bench) -> tuple[Check, ...]:
    """Neither too narrow nor too wide: coverage is the one promised, and so is the width."""
    alpha, checks = bench.plan.alpha, []
    for who, contrast in INSIDE:
        true, seen = truth(who, contrast.weights), bench.measured(who, contrast, LARGE)
        what = f"{who.name}, {contrast.estimand}, {LARGE}"
        checks.append(near(f"coverage as promised: {what}", held(seen, true), 1 - alpha, 0.005))
        checks.append(width(f"width: {what}", seen, true, LARGE, alpha))
    return tuple(checks)


def held(seen: Measured, true: Truth) -> NDArray[np.bool_]:
    """The interval holds the truth, in each experiment."""
    return (seen.low <= true.effect) & (true.effect <= seen.high)


def width(name: str, seen: Measured, true: Truth, setting: Setting, alpha: float) -> Check:
    """The mean square of the interval's half width, as a share of the one that the true variance asks for.

    Of n contrasts with mean m and variance v, and two pseudo units +-1/R, the sum of squares about their
    common mean is n (v + m^2) + 2/R^2 - n^2 (v/n + m^2) / (n + 2) on average: exact, whatever the shape.
    Student's quantile on n + 1 degrees of freedom makes of it the interval of STATISTICS 1.

    Args:
        name: of the check.
        seen: what was measured.
        true: of the contrast; every task is a unit of its own.
        setting: tasks n and repeats R.
        alpha: of the interval.
    """
    from scipy.stats import t

    n, variance = setting.tasks, true.parts.task + true.parts.repeat / setting.repeats
    squares = n * (variance + true.effect**2) + 2 / setting.repeats**2
    about_mean = squares - n**2 / (n + 2) * (variance / n + true.effect**2)
    promised = float(t.isf(alpha / 2, n + 1)) ** 2 * about_mean / ((n + 1) * (n + 2))
    return unbiased(name, ((seen.high - seen.low) / 2) ** 2 / promised, 1.0)
