"""Planning: the planned number of tasks finds what it was planned for, and equivalence errs as promised."""

from __future__ import annotations

from loadbearing.analysis.calibration.bands import Check, at_most, near
from loadbearing.analysis.calibration.bench import LARGE, MIDDLE, SMALL, Bench, Setting
from loadbearing.analysis.calibration.cast import IGNORES, follower, two_arms
from loadbearing.analysis.calibration.checks_error import APART, DROP, closeness
from loadbearing.analysis.calibration.participants import Participant, truth
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.planning.equivalence_power import equivalence_power
from loadbearing.analysis.planning.power import n_tasks

WANTED, REPEATS = 0.80, 3

PLANNED: tuple[tuple[Participant, Contrast], ...] = (
    (follower(0.2), DROP),
    (follower(0.4), DROP),
    (two_arms(0.1, 0.3), APART),
)
AT_THE_MARGIN = follower(0.2)
"""Its drop is .10, the default margin."""


def planned_size(bench: Bench) -> tuple[Check, ...]:
    """With as many tasks as the plan asks for, 80 % of the experiments show the effect."""
    checks = []
    for who, contrast in PLANNED:
        true = truth(who, contrast.weights)
        wanted = n_tasks(
            true.effect, REPEATS, true.parts, WANTED, bench.plan.alpha, grain=true.step / REPEATS
        )
        if wanted is None:
            raise ValueError(f"{who.name}: no number of tasks shows {true.effect:g}")
        setting = Setting(wanted, REPEATS)
        seen = bench.measured(who, contrast, setting)
        shown = (seen.p <= bench.plan.alpha) & (seen.estimate > 0)
        name = f"planner: {who.name}, {contrast.estimand}, {setting}"
        checks.append(near(name, shown, WANTED, closeness(setting)))
    return tuple(checks)


def equivalence(bench: Bench) -> tuple[Check, ...]:
    """An effect at the margin is ruled out in at most alpha of the experiments, no effect as promised."""
    checks = []
    for setting in (SMALL, MIDDLE, LARGE):
        seen = bench.measured(AT_THE_MARGIN, DROP, setting)
        ruled_out = seen.p_equivalence <= bench.plan.alpha
        # skew makes the error slightly high: STATISTICS 2
        checks.append(
            at_most(f"equivalence error at the margin: {setting}", ruled_out, bench.plan.alpha, 0.01)
        )
    true = truth(IGNORES, DROP.weights)
    for setting in (MIDDLE, LARGE):
        seen = bench.measured(IGNORES, DROP, setting)
        promised = equivalence_power(
            bench.plan.margin, setting.tasks, setting.repeats, true.parts, alpha=bench.plan.alpha
        )
        ruled_out = seen.p_equivalence <= bench.plan.alpha
        name = f"equivalence power: ignores, {setting}"
        checks.append(near(name, ruled_out, promised, closeness(setting)))
    return tuple(checks)
