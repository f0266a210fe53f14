"""One contrast: false positives where nothing is, power where something is; coverage and bias everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.bands import Check, at_least, at_most, near, unbiased
from loadbearing.analysis.calibration.bench import MIDDLE, Bench, Setting
from loadbearing.analysis.calibration.cast import (
    CEILING,
    FLOOR,
    FORMAT_ONLY,
    HARMFUL,
    IGNORES,
    PARTIAL,
    REDISTRIBUTES,
    STICKY,
    follower,
    mixed_sign,
    partial_follower,
    two_arms,
)
from loadbearing.analysis.calibration.participants import CONTROL, DAMAGE, MEMORY, Participant, Truth, truth
from loadbearing.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from loadbearing.analysis.planning.power import power

DROP, UTILITY = drop(MEMORY, DAMAGE), utility(MEMORY)
APART = drops_apart(MEMORY, CONTROL, DAMAGE)

CASES: tuple[tuple[Participant, Contrast], ...] = (
    # nothing there, in every task or on average
    (IGNORES, DROP),
    (FORMAT_ONLY, DROP),
    (CEILING, DROP),
    (FLOOR, DROP),
    (PARTIAL, DROP),
    (REDISTRIBUTES, DROP),
    (mixed_sign(0.2), DROP),
    (two_arms(0.5, 0.5), APART),
    # something there
    (follower(0.1), DROP),
    (follower(0.5), DROP),
    (follower(0.9), DROP),
    (HARMFUL, DROP),
    (FORMAT_ONLY, UTILITY),
    (partial_follower(0.5), DROP),
    (two_arms(0.1, 0.5), APART),
)
"""Whose truth is known: of each the error or the power, the coverage and the bias are checked."""

FEW = 30
"""Below so many tasks no power is promised."""


def one_contrast(bench: Bench) -> tuple[Check, ...]:
    """Errors at most alpha where the truth is zero, power as promised elsewhere; coverage; no bias."""
    return tuple(
        check
        for setting in bench.effort.settings
        for who, contrast in CASES
        for check in _about(bench, who, contrast, setting)
    )


def special_cases(bench: Bench) -> tuple[Check, ...]:
    """Repeats that copy each other are no more evidence; a two-sided test errs on both sides alike."""
    alpha = bench.plan.alpha
    sticky = bench.measured(STICKY, DROP, MIDDLE)
    seen = bench.measured(IGNORES, DROP, MIDDLE)
    false = seen.p <= alpha
    return (
        at_most(f"type I: sticky, drop, {MIDDLE}", sticky.p <= alpha, alpha),
        at_most(f"type I upwards: ignores, drop, {MIDDLE}", false & (seen.estimate > 0), alpha / 2),
        at_most(f"type I downwards: ignores, drop, {MIDDLE}", false & (seen.estimate < 0), alpha / 2),
    )


def _about(bench: Bench, who: Participant, contrast: Contrast, setting: Setting) -> list[Check]:
    true, alpha = truth(who, contrast.weights), bench.plan.alpha
    seen = bench.measured(who, contrast, setting)
    what = f"{who.name}, {contrast.estimand}, {setting}"
    shown = seen.p <= alpha
    held = (seen.low <= true.effect) & (true.effect <= seen.high)
    checks = []
    if abs(true.effect) < 1e-12:
        checks.append(at_most(f"type I: {what}", shown, alpha))
    elif setting.tasks >= FEW:
        right = shown & (np.sign(seen.estimate) == np.sign(true.effect))
        checks.append(as_promised(f"power: {what}", right, true, setting, alpha))
    checks.append(at_least(f"coverage: {what}", held, 1 - alpha, slack=_skewness(setting)))
    checks.append(unbiased(f"bias: {what}", seen.estimate, true.effect))
    return checks


def as_promised(name: str, shown: NDArray[np.bool_], true: Truth, setting: Setting, alpha: float) -> Check:
    """The share of experiments that show an effect is the one that `plan` promises."""
    grain = true.step / setting.repeats
    promised = power(true.effect, setting.tasks, setting.repeats, true.parts, alpha, grain=grain)
    return near(name, shown, promised, closeness(setting))


def closeness(setting: Setting) -> float:
    """How well the closed form of power has to meet the test: analysis/planning/power.py."""
    return 0.03 if setting.tasks >= 60 else 0.05


def _skewness(setting: Setting) -> float:
    """What coverage may lose where a unit's contrast is skewed: STATISTICS 11."""
    return 0.010 if setting.tasks >= 60 else 0.015
