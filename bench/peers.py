"""Error, power and coverage beside four other tools, on the same pairs of arms; not in `make bench`.

In an environment of its own, for nothing here needs these packages:

    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install evalstats==0.3.3 evalconfidence==0.1.1 evalci==0.1.0 evalsig==0.1.2
    PYTHONPATH=. /tmp/peers/bin/python -m bench.peers 400

Each tool is asked for a paired difference as its documentation says, with clusters where it takes them. A
task's logit is normal, the effect a shift of it, a cluster's own effect normal with sd 1.
"""

import sys
from collections.abc import Callable
from functools import cache

import evalci
import evalconfidence
import numpy as np
from evalsig.inference.cluster_bootstrap import cluster_bootstrap_ci
from evalsig.inference.mcnemar import mcnemar_test
from evalsig.inference.paired import paired_permutation_test
from evalstats.core.paired import pairwise_differences
from numpy.typing import NDArray

from memtrial.analysis.inference.interval import p_zero, t_interval, unit_sample

Floats = NDArray[np.float64]
Answer = tuple[float, tuple[float, float]]
"""A p-value and an interval of 95 %."""
RESAMPLES, SD, CLUSTER_SD = 999, 1.5, 1.0
CELLS = (
    *(
        (n, 1, base, effect, 0)
        for n in (12, 15, 30, 60, 100)
        for base, effect in ((0, 0), (0, 0.1), (0, 0.2))
    ),
    *((n, 1, 1.7, effect, 0) for n in (12, 15, 30, 60, 100) for effect in (0, 0.1)),
    *((n, 4, base, effect, 0) for n in (12, 30, 60) for base in (0, 1.7) for effect in (0, 0.1)),
    *(
        (5 * many, repeats, 0, effect, many)
        for many in (3, 6, 12, 20)
        for repeats in (1, 4)
        for effect in (0, 0.2)
    ),
)
"""Tasks, repeats, mean logit, effect and clusters."""


def ours(one: Floats, other: Floats, unit: NDArray[np.int64]) -> Answer:
    sample = unit_sample((one - other).mean(1), unit, one.shape[1], (-1.0, 1.0))
    return float(p_zero(sample)), t_interval(sample, 0.05)


def by_evalconfidence(one: Floats, other: Floats, unit: NDArray[np.int64]) -> Answer:
    def items(name: str, scores: Floats) -> list[evalconfidence.ItemResult]:
        return [
            evalconfidence.ItemResult(item_id=str(task), model_id=name, score=float(score), epoch=epoch)
            for task, row in enumerate(scores)
            for epoch, score in enumerate(row)
        ]

    found = evalconfidence.compare(items("one", one), items("other", other))
    return found.p_value, found.ci_diff


def by_evalci(one: Floats, other: Floats, unit: NDArray[np.int64]) -> Answer:
    found = evalci.compare(one.mean(1), other.mean(1), n_resamples=RESAMPLES, random_state=1)
    return found.p_value, found.ci


def by_evalsig(one: Floats, other: Floats, unit: NDArray[np.int64]) -> Answer:
    high, low = one.mean(1), other.mean(1)
    if len(set(unit)) < len(unit):
        found = cluster_bootstrap_ci(low, high, unit, n_resamples=RESAMPLES, rng=1)
    elif one.shape[1] == 1:
        found = mcnemar_test(low, high)
    else:
        found = paired_permutation_test(low, high, n_resamples=RESAMPLES, rng=1)
    return found.p_value, found.ci


def by_evalstats(one: Floats, other: Floats, unit: NDArray[np.int64]) -> Answer:
    scores = np.stack([one, other])
    binary = one.shape[1] == 1
    found = pairwise_differences(
        scores[:, :, 0] if binary else scores,
        0,
        1,
        method="tango" if binary else "auto",
        n_bootstrap=RESAMPLES,
        rng=np.random.default_rng(1),
        score_range=(0, 1),
    )
    return found.p_value, (found.ci_low, found.ci_high)


TOOLS: tuple[Callable[[Floats, Floats, NDArray[np.int64]], Answer], ...] = (
    ours,
    by_evalconfidence,
    by_evalci,
    by_evalsig,
    by_evalstats,
)


def expit(logit: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logit)))


@cache
def shift(base: float, effect: float) -> float:
    """By how much logits move for this mean effect."""
    logits = np.random.default_rng(0).normal(base, SD, 20_000)
    low, high = 0.0, 20.0
    for _ in range(60 * (effect > 0)):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if (expit(logits + middle) - expit(logits)).mean() < effect else (low, middle)
        )
    return low


def pair_of(
    rng: np.random.Generator, n: int, repeats: int, base: float, effect: float, clusters: int
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Scores of both arms, shape (n, repeats), and the unit of each task."""
    unit = np.arange(n) % (clusters or n)
    logits = rng.normal(base, SD, n)
    own = rng.normal(0, CLUSTER_SD, clusters)[unit] if clusters else np.zeros(n)
    chances = (expit(logits + shift(base, effect) + own), expit(logits))
    one, other = ((rng.random((n, repeats)) < chance[:, None]).astype(float) for chance in chances)
    return one, other, unit


def truth(base: float, effect: float, clusters: int) -> float:
    """The mean difference over all tasks that there could be."""
    if not effect and not (base and clusters):
        return 0.0
    one, other, _ = (
        np.asarray(found)
        for found in pair_of(np.random.default_rng(5), 100_000, 8, base, effect, clusters and 20_000)
    )
    return float((one - other).mean())


if __name__ == "__main__":
    print("tasks repeats logit effect clusters | share rejected, coverage, width, test and interval differ")
    for cell in CELLS:
        n, repeats, base, effect, clusters = cell
        true = truth(base, effect, clusters)
        shown = []
        for tool in TOOLS:
            rows = []
            for number in range(int(sys.argv[1])):
                seed = [n, repeats, int(10 * base), int(100 * effect), clusters, number]
                p, (low, high) = tool(
                    *pair_of(np.random.default_rng(seed), n, repeats, base, effect, clusters)
                )
                rows.append((p <= 0.05, low <= true <= high, high - low, (p <= 0.05) == (low <= 0 <= high)))
            rejected, covered, width, differ = np.mean(rows, axis=0)
            shown.append(
                f"{tool.__name__.removeprefix('by_')} {rejected:.3f} {covered:.3f} {width:.2f} {differ:.2f}"
            )
        print(n, repeats, base, effect, clusters or "-", "|", " | ".join(shown), flush=True)
