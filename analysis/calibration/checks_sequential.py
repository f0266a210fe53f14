"""Looking before the end: looks that were planned and evidence that may be read at any time keep alpha."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.bands import Check, at_least, at_most, near
from loadbearing.analysis.calibration.bench import Bench, Setting
from loadbearing.analysis.calibration.cast import IGNORES, REDISTRIBUTES, follower
from loadbearing.analysis.calibration.checks_error import DROP, closeness
from loadbearing.analysis.calibration.experiments import play
from loadbearing.analysis.calibration.participants import Participant, truth
from loadbearing.analysis.planning.power import power
from loadbearing.analysis.sequential.obrien_fleming import obrien_fleming

RUN, LOOKS = Setting(150, 3), 5


def looks(bench: Bench) -> tuple[Check, ...]:
    """O'Brien-Fleming looks and the e-process keep alpha and find effects; unplanned looks do not keep it."""
    alpha = bench.plan.alpha
    boundaries = obrien_fleming(LOOKS, alpha)
    checks = []
    for who in (IGNORES, REDISTRIBUTES):
        drops = _drops(bench, who)
        z = _z_at_looks(drops)
        what = f"{who.name}, {LOOKS} looks, {RUN}"
        checks.append(
            at_most(f"O'Brien-Fleming error: {what}", np.asarray((z >= boundaries).any(axis=1)), alpha)
        )
        ever = _ever(bench, drops)
        checks.append(at_most(f"e-process error at any time: {who.name}, {RUN}", ever, alpha))
    peeking = np.asarray((_z_at_looks(_drops(bench, IGNORES)) >= _reach(alpha)).any(axis=1))
    checks.append(at_least(f"peeking without a plan is seen: {RUN}", peeking, 2 * alpha))
    who = follower(0.15)
    true = truth(who, DROP.weights)
    found = np.asarray((_z_at_looks(_drops(bench, who)) >= boundaries).any(axis=1))
    promised = power(true.effect, RUN.tasks, RUN.repeats, true.parts, alpha, grain=0.0)
    # five looks cost about a point of the power of one: STATISTICS 5
    slack = closeness(RUN) + 0.02
    checks.append(near(f"O'Brien-Fleming power: {who.name}, {RUN}", found, promised, slack))
    reads = follower(0.5)
    shown = _ever(bench, _drops(bench, reads))
    checks.append(at_least(f"e-process finds a large effect: {reads.name}, {RUN}", shown, 0.95))
    return tuple(checks)


def _ever(bench: Bench, drops: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the evidence on display ever passes for an effect, in each experiment."""
    return np.array([bench.instrument.watch(one) <= bench.plan.alpha for one in drops])


def _drops(bench: Bench, who: Participant) -> NDArray[np.float64]:
    """Each task's drop in the order of play, shape (n_experiments, n_tasks)."""
    cells = tuple(cell for cell, _ in DROP.weights)
    weights = np.array([weight for _, weight in DROP.weights])
    rng = bench.rng("looks", who.name)
    trials = play(who, cells, RUN.tasks, RUN.repeats, bench.effort.families, rng)
    return np.asarray(np.einsum("ecn,c->en", trials.mean(axis=3), weights))


def _z_at_looks(drops: NDArray[np.float64]) -> NDArray[np.float64]:
    """|z| of Student's t at each look, shape (n_experiments, n_looks)."""
    from scipy.stats import norm, t

    seen = []
    for look in range(1, LOOKS + 1):
        n = RUN.tasks * look // LOOKS
        so_far = drops[:, :n]
        spread = so_far.std(axis=1, ddof=1)
        score = np.abs(so_far.mean(axis=1)) / np.where(spread > 0, spread, np.inf) * np.sqrt(n)
        seen.append(norm.isf(t.sf(score, n - 1)))
    return np.column_stack(seen)


def _reach(alpha: float) -> float:
    """|z| at which a single look rejects."""
    from scipy.stats import norm

    return float(norm.isf(alpha / 2))
