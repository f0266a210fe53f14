"""Resampling: 24 contrasts of 500 tasks by us against one of them by scipy, and against one second."""

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bench.figure import Beside, Figure, beside, spent_by
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.contrast import drops_apart
from memtrial.analysis.inference.sign_flip import flip_test, simultaneous_quantile
from memtrial.analysis.sensitivity.method_panel import bootstrap_means, percentile_interval, readings
from memtrial.outcomes.outcomes import Outcomes

TASKS, CONTRASTS, DRAWS, TIMES = 500, 24, 10_000, 7


def figures() -> Iterator[Figure]:
    """Sign flips and bootstrap, each as a ratio and in seconds; then what a whole panel takes."""
    contrasts = np.random.default_rng(0).choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=(TASKS, CONTRASTS))
    units = np.arange(TASKS)

    def flips() -> None:
        flip_test(contrasts, units, DRAWS, np.random.default_rng(1))

    def draws() -> None:
        percentile_interval(bootstrap_means(contrasts[:, 0], units, DRAWS, np.random.default_rng(1)), 0.05)

    found = _beside(flips, lambda: _scipys_flips(contrasts[:, 0]))
    what = f"{CONTRASTS} contrasts of {TASKS} tasks"
    yield from _two(f"{DRAWS:,} sign flips, {what}, max-T", "permutation_test on one contrast", found, 1.0)
    found = _beside(draws, lambda: _scipys_draws(contrasts[:, 0]))
    yield from _two(f"{DRAWS:,} bootstrap draws, {TASKS} tasks", "bootstrap on one contrast", found, 2.0)
    yield _simultaneous(contrasts, units, flips)
    yield _panel()


def _beside(ours: Callable[[], None], theirs: Callable[[], None]) -> Beside:
    ours()  # what is imported or made once is no part of either
    theirs()
    return beside(lambda: spent_by(ours), lambda: spent_by(theirs), TIMES)


def _two(name: str, peer: str, found: Beside, bound: float) -> Iterator[Figure]:
    detail = f"{found.ours_s:.3f} and {found.peer_s:.3f} s"
    yield Figure(f"{name} against scipy's {peer}", detail, found.ratio, bound, spread=found.spread)
    yield Figure(f"{name} against one second", f"median of {TIMES}", found.ours_s, 1.0)


def _scipys_flips(d: NDArray[np.float64]) -> None:
    from scipy.stats import permutation_test

    permutation_test(
        (d,),
        lambda drawn, axis: drawn.mean(axis=axis),
        permutation_type="samples",
        n_resamples=DRAWS,
        vectorized=True,
        rng=np.random.default_rng(1),
    )


def _scipys_draws(d: NDArray[np.float64]) -> None:
    from scipy.stats import bootstrap

    bootstrap((d,), np.mean, method="percentile", n_resamples=DRAWS, rng=np.random.default_rng(1))


def _simultaneous(
    contrasts: NDArray[np.float64], units: NDArray[np.int64], flips: Callable[[], None]
) -> Figure:
    """The quantile of max |t| against the test that draws as many sign vectors."""
    rng, freedom = np.random.default_rng(1), np.full(contrasts.shape[1], len(contrasts) - 1.0)
    found = _beside(
        lambda: _nothing(simultaneous_quantile(contrasts, units, freedom, 0.05, DRAWS, rng)), flips
    )
    detail = f"{found.ours_s:.3f} and {found.peer_s:.3f} s"
    return Figure("simultaneous quantile against the flip test", detail, found.ratio, spread=found.spread)


def _panel() -> Figure:
    """Every sensitivity reading of a contrast of drops against scipy's bootstrap of its mean alone."""
    shape = (4, TASKS, 3)
    cell, task, repeat = (np.broadcast_to(at, shape).ravel() for at in np.ogrid[:4, :TASKS, :3])
    arms, conditions = ("treatment", "control"), ("intact", "damage")
    columns = {
        "backbone": ["bench"] * cell.size,
        "arm": [arms[one] for one in cell // 2],
        "condition": [conditions[one] for one in cell % 2],
        "task": [f"task {number:03}" for number in task],
        "repeat": repeat,
        "score": np.random.default_rng(2).binomial(1, 0.5, cell.size).astype(np.float64),
    }
    table = Outcomes(pl.DataFrame(columns)).cells("bench")
    contrast, plan = drops_apart(*arms, "damage"), AnalysisPlan(arms, conditions[1:])
    d = contrast.per_task(table)
    found = _beside(
        lambda: _nothing(readings(contrast, table, plan, 0)),
        lambda: _scipys_draws(d),
    )
    detail = f"{found.ours_s:.3f} and {found.peer_s:.3f} s"
    return Figure(
        "all sensitivity readings of one estimate against scipy's bootstrap alone",
        detail,
        found.ratio,
        spread=found.spread,
    )


def _nothing(_: object) -> None:
    return None


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
