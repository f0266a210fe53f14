"""The bulk path is the path of real data: the same numbers, experiment by experiment."""

from __future__ import annotations

import numpy as np

from loadbearing.analysis.calibration.bands import Check
from loadbearing.analysis.calibration.bench import MIDDLE, SMALL, Bench, Setting
from loadbearing.analysis.calibration.cast import FLOOR, by_record, follower
from loadbearing.analysis.calibration.checks_error import DROP
from loadbearing.analysis.calibration.estimators import measure
from loadbearing.analysis.calibration.experiments import Trials, play, units
from loadbearing.analysis.calibration.participants import DAMAGED, INTACT
from loadbearing.analysis.inference.equivalence import p_equivalence
from loadbearing.analysis.inference.interval import plus_two_sample, t_interval
from loadbearing.analysis.inference.sign_flip import flip_test
from loadbearing.analysis.plan import AnalysisPlan

SAMPLE = 10
TOLERANCE = 1e-12
CELLS = (INTACT, DAMAGED)


def same_as_one_by_one(bench: Bench) -> tuple[Check, ...]:
    """Largest difference between the bulk path and the functions that judge real data, over a sample."""
    cases = (
        (follower(0.3), SMALL),
        (follower(0.3), MIDDLE),
        (FLOOR, SMALL),
        (by_record(96, 12), Setting(96, 3)),
    )
    checks = []
    for who, setting in cases:
        rng = bench.rng("bulk path", who.name, str(setting))
        trials = play(who, CELLS, setting.tasks, setting.repeats, SAMPLE, rng)
        unit = units(who, setting.tasks)
        far = float(np.abs(_bulk(trials, unit, bench.plan) - _single(trials, unit, bench.plan)).max())
        checks.append(Check(f"bulk equals one by one: {who.name}, {setting}", far, 0.0, TOLERANCE))
    return tuple(checks)


def _bulk(trials: Trials, unit: np.ndarray[tuple[int], np.dtype[np.int64]], plan: AnalysisPlan) -> Trials:
    weights = tuple(dict(DROP.weights)[cell] for cell in CELLS)
    seen = measure(trials, weights, unit, plan)
    return np.column_stack([seen.estimate, seen.low, seen.high, seen.p, seen.p_equivalence])


def _single(trials: Trials, unit: np.ndarray[tuple[int], np.dtype[np.int64]], plan: AnalysisPlan) -> Trials:
    rows = []
    for one in trials:
        drops = one[0].mean(axis=1) - one[1].mean(axis=1)
        sample = plus_two_sample(drops, unit, one.shape[2])
        test = flip_test(drops[:, None], unit, plan.flips, np.random.default_rng(plan.seed))
        low, high = t_interval(sample, plan.alpha)
        rows.append([drops.mean(), low, high, test.p[0], p_equivalence(sample, plan.margin)])
    return np.array(rows)
