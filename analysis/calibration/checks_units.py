"""Families of contrasts and clusters of tasks: errors where contrasts or tasks hang together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.bands import Check, at_least, at_most
from analysis.calibration.bench import MIDDLE, Bench, Setting
from analysis.calibration.cast import by_record
from analysis.calibration.checks_error import DROP
from analysis.calibration.experiments import play
from analysis.calibration.participants import CONTROL, MEMORY, OWN, Participant, follows, one_kind
from analysis.contrast import drop
from analysis.sign_flip import flip_test
from ledger.outcomes import Cell

DAMAGES = ("corrupt_invert", "irrelevant_swap", "counter")
ARMS = (CONTROL, MEMORY)
FAMILY = tuple(drop(arm, damage) for arm in ARMS for damage in DAMAGES)
"""Six drops; those of an arm share its intact cell. The control's come first."""
NULLS = len(DAMAGES)

NOBODY_READS = one_kind("nobody reads", 0.4, {})
ONE_ARM_READS = one_kind(
    "one arm reads", 0.4, {(MEMORY, "intact"): follows(0.5, 0.9), (CONTROL, "intact"): OWN}
)


def family_error(bench: Bench) -> tuple[Check, ...]:
    """max-T: at most alpha of the experiments show a false effect anywhere in the family."""
    alpha = bench.plan.alpha
    none = family_p(bench, NOBODY_READS) <= alpha
    some = family_p(bench, ONE_ARM_READS) <= alpha
    return (
        at_most(f"max-T error, all of 6 null: {MIDDLE}", np.asarray(none.any(axis=1)), alpha),
        at_most(f"max-T error, 3 of 6 null: {MIDDLE}", np.asarray(some[:, :NULLS].any(axis=1)), alpha),
        at_least(f"max-T finds the others: {MIDDLE}", np.asarray(some[:, NULLS:].all(axis=1)), 0.9),
    )


def clusters(bench: Bench) -> tuple[Check, ...]:
    """Tasks that share a source record count as one; counted one by one, they show what is not there."""
    checks = []
    setting = Setting(96, 3)
    for n_records in (12, 24):
        who = by_record(setting.tasks, n_records)
        seen = bench.measured(who, DROP, setting)
        what = f"{who.name}, {setting}"
        checks.append(at_most(f"type I by cluster: {what}", seen.p <= bench.plan.alpha, bench.plan.alpha))
        held = (seen.low <= 0) & (seen.high >= 0)
        checks.append(at_least(f"coverage by cluster: {what}", held, 1 - bench.plan.alpha, slack=0.015))
        alone = bench.measured(who, DROP, setting, unit=np.arange(setting.tasks))
        wrong = alone.p <= bench.plan.alpha
        checks.append(at_least(f"counted by task, the error is seen: {what}", wrong, 2 * bench.plan.alpha))
    return tuple(checks)


def family_p(bench: Bench, who: Participant) -> NDArray[np.float64]:
    """Adjusted p-values of the family in each experiment, shape (n_experiments, n_contrasts)."""
    cells: tuple[Cell, ...] = tuple(dict.fromkeys(cell for one in FAMILY for cell, _ in one.weights))
    weights = np.array([[dict(one.weights).get(cell, 0.0) for one in FAMILY] for cell in cells])
    rng = bench.rng("family", who.name)
    trials = play(who, cells, MIDDLE.tasks, MIDDLE.repeats, bench.effort.families, rng)
    contrasts = np.einsum("ecn,cf->enf", trials.mean(axis=3), weights)
    unit = np.arange(MIDDLE.tasks)
    return np.array([flip_test(one, unit, bench.plan.flips, rng).p_adjusted for one in contrasts])
