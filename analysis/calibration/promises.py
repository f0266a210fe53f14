"""What `plan` and STATISTICS promise of a contrast whose truth is known."""

from __future__ import annotations

from dataclasses import replace

from loadbearing.analysis.calibration.bench import RULES, Setting
from loadbearing.analysis.calibration.observations import Case
from loadbearing.analysis.planning.power import ClosedForm


def promised_power(case: Case, grain: float | None = None) -> float:
    """Chance that `plan` gives to showing the effect.

    Args:
        case: whose truth is known.
        grain: smallest step of a task's contrast, the true one unless given; 0 is the power of Student's t.
    """
    true, size = case.true, case.setting
    step = true.step / size.repeats if grain is None else grain
    return ClosedForm(size.repeats, true.parts, RULES.alpha, step).power(true.effect, size.tasks)


def planned(case: Case, wanted: float) -> Case:
    """The case with as many tasks as `plan` asks for.

    Raises:
        ValueError: no number of tasks shows the effect.
    """
    true, repeats = case.true, case.setting.repeats
    test = ClosedForm(repeats, true.parts, RULES.alpha, true.step / repeats)
    tasks = test.tasks(true.effect, wanted)
    if tasks is None:
        raise ValueError(f"{case.who.name}: no number of tasks shows {true.effect:g}")
    return replace(case, setting=Setting(tasks, repeats))


def promised_equivalence(case: Case) -> float:
    """Chance that `plan` gives to ruling out the margin where there is no effect."""
    size = case.setting
    return ClosedForm(size.repeats, case.true.parts, RULES.alpha).equivalence_power(RULES.margin, size.tasks)


def closeness(setting: Setting) -> float:
    """How well the closed form of power has to meet the test: analysis/planning/power.py."""
    return 0.03 if setting.tasks >= 60 else 0.05


def skewness(setting: Setting) -> float:
    """What coverage may lose where a unit's contrast is skewed: STATISTICS 11."""
    return 0.010 if setting.tasks >= 60 else 0.015


def promised_width(case: Case) -> float:
    """The mean square of the interval's half width that the true variance asks for.

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
    return float(t.isf(RULES.alpha / 2, n + 1)) ** 2 * about_mean / ((n + 1) * (n + 2))
