"""Families of contrasts and clusters of tasks: errors where contrasts or tasks hang together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.bands import Check, at_least, at_most, near
from loadbearing.analysis.calibration.bench import MIDDLE, Bench, Setting
from loadbearing.analysis.calibration.cast import by_record
from loadbearing.analysis.calibration.checks_error import DROP
from loadbearing.analysis.calibration.experiments import play
from loadbearing.analysis.calibration.participants import (
    CONTROL,
    MEMORY,
    OWN,
    Line,
    Participant,
    ease,
    follows,
    one_kind,
)
from loadbearing.analysis.estimands.contrast import Contrast, drop
from loadbearing.outcomes.outcomes import Cell

DAMAGES = ("corrupt_invert", "irrelevant_swap", "counter")
ARMS = (CONTROL, MEMORY)
FAMILY = tuple(drop(arm, damage) for arm in ARMS for damage in DAMAGES)
"""Six drops; those of an arm share its intact cell. The control's come first."""
NULLS = len(DAMAGES)
ALIKE = tuple(drop(MEMORY, f"damage {number}") for number in range(6))
"""Six drops of one arm."""

NOBODY_READS = one_kind("nobody reads", 0.4, {})
ONE_ARM_READS = one_kind(
    "one arm reads", 0.4, {(MEMORY, "intact"): follows(0.5, 0.9), (CONTROL, "intact"): OWN}
)
GAMBLES = Participant("gambles", ease(0.5, 0.95), ((((MEMORY, "intact"), Line(0.5, 0.0)),),))
"""Tasks are nearly sure or hopeless, and memory makes each a coin's throw: no drop on average, and the drops
under all kinds of damage are nearly the same number; their correlation is .99."""


def family_error(bench: Bench) -> tuple[Check, ...]:
    """max-T: at most alpha of the experiments show a false effect anywhere in the family.

    Where the family is one contrast six times over, the error is alpha and not a sixth of it: this tells
    max-T with common signs from signs of each column's own, and from Bonferroni and Holm (1 % there).
    """
    alpha = bench.plan.alpha
    none = family_p(bench, NOBODY_READS, FAMILY) <= alpha
    some = family_p(bench, ONE_ARM_READS, FAMILY) <= alpha
    alike = family_p(bench, GAMBLES, ALIKE) <= alpha
    # sums of thirds are tied: a little of alpha is not used
    used = near(f"max-T uses alpha, 6 alike and null: {MIDDLE}", np.asarray(alike.any(axis=1)), alpha, 0.005)
    return (
        used,
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


def family_p(bench: Bench, who: Participant, family: tuple[Contrast, ...]) -> NDArray[np.float64]:
    """Adjusted p-values of the family in each experiment, shape (n_experiments, n_contrasts)."""
    cells: tuple[Cell, ...] = tuple(dict.fromkeys(cell for one in family for cell, _ in one.weights))
    weights = np.array([[dict(one.weights).get(cell, 0.0) for one in family] for cell in cells])
    rng = bench.rng("family", who.name)
    trials = play(who, cells, MIDDLE.tasks, MIDDLE.repeats, bench.effort.families, rng)
    contrasts = np.einsum("ecn,cf->enf", trials.mean(axis=3), weights)
    unit = np.arange(MIDDLE.tasks)
    return np.array([bench.instrument.adjust(one, unit, bench.plan.flips, rng) for one in contrasts])
