"""Simulated task worlds for planning: difficulty, an effect that differs between tasks, repeats, clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.variance import NORMAL, Parts, Shape
from loadbearing.ledger.random_streams import fixed_generator

_SAMPLE_LOG2 = 12  # tasks on which a scenario is tuned and measured, evenly spread (Sobol), as a power of 2
_HALVINGS, _ROUNDS = 26, 3
_MOST_SHIFT, _MOST_SPREAD = 40.0, 6.0  # on the logit scale
_ZERO = 1e-9
_Tasks = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Truth:
    """What a scenario comes to: mean and variance parts of a contrast over all its tasks."""

    effect: float
    parts: Parts


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """How tasks behave, on the logit scale, so that no probability has to be cut off at 0 or 1.

    A task's success probability without damage is Beta distributed; in another cell its logit is moved
    by `shift` plus `spread` times a normal deviate of the task's own, of which clusters share a part.

    Args:
        weights: of each cell in each contrast, shape (n_cells, n_contrasts).
        base: mean success probability of the undamaged cells.
        icc: of the Beta distribution: 0 all tasks equally hard, near 1 all of them always or never solved.
        shift: of each cell, shape (n_cells,); 0 for an undamaged one.
        spread: standard deviation of each cell's shift between tasks, shape (n_cells,); 0 if undamaged.
        clustered: share of that variance that the tasks of one cluster have in common.
        noise: variance of one score as a share of p(1-p): 1 for success or failure, less for a dense score.
    """

    weights: NDArray[np.float64]
    base: float
    icc: float
    shift: NDArray[np.float64]
    spread: NDArray[np.float64]
    clustered: float = 0.0
    noise: float = 1.0

    def probabilities(
        self, n_experiments: int, clusters: Clustering, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Mean score of every task in every cell, shape (n_experiments, n_tasks, n_cells)."""
        index = clusters.index
        shape = (n_experiments, len(index), len(self.shift))
        own = rng.standard_normal(shape)
        if self.clustered > 0:
            shared = rng.standard_normal((n_experiments, clusters.n_clusters, len(self.shift)))[:, index]
            own = np.sqrt(1 - self.clustered) * own + np.sqrt(self.clustered) * shared
        return self._moved(self._difficulty(shape[:2], rng), own)

    def scores(
        self, n_experiments: int, clusters: Clustering, repeats: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Task x cell means over repeats, shape (n_experiments, n_tasks, n_cells)."""
        return self._drawn(self.probabilities(n_experiments, clusters, rng), repeats, rng)

    def _drawn(self, p: NDArray[np.float64], repeats: int, rng: np.random.Generator) -> NDArray[np.float64]:
        if self.noise >= 1:
            means: NDArray[np.float64] = rng.binomial(repeats, p) / repeats
            return means
        concentration = 1 / self.noise - 1
        p = np.clip(p, 1e-6, 1 - 1e-6)
        total = np.zeros_like(p)
        for _ in range(repeats):
            total += rng.beta(p * concentration, (1 - p) * concentration)
        return total / repeats

    def truth(self) -> Truth:
        """What the first contrast comes to, over tasks that fill their distributions evenly."""
        first = self.of_first()
        n = len(first.shift)
        (p, own), (other, others), shared = _even_pairs(self.base, self.icc, n, _SAMPLE_LOG2 + 2)
        mixed = np.sqrt(1 - self.clustered), np.sqrt(self.clustered)
        scores = first._moved(p, mixed[0] * own + mixed[1] * shared)
        neighbours = first._moved(other, mixed[0] * others + mixed[1] * shared)
        weights = first.weights[:, 0]
        d, next_to = scores @ weights, neighbours @ weights
        task = float(d.var(ddof=1))
        cluster = min(max(float(((d - d.mean()) * (next_to - next_to.mean())).mean()), 0.0), task)
        repeat = self.noise * float((scores * (1 - scores)).mean(axis=0) @ weights**2)
        return Truth(float(d.mean()), Parts(task, repeat, cluster))

    def shapes(self, repeats: Iterable[int]) -> dict[int, Shape]:
        """Skew and kurtosis of a task's first contrast over so many repeats, from tasks always the same."""
        first = self.of_first()
        p, own = _evenly(self.base, self.icc, len(first.shift), _SAMPLE_LOG2 + 1)
        moved, weights = first._moved(p, own), first.weights[:, 0]
        return {count: _shape(first._drawn(moved, count, fixed_generator()) @ weights) for count in repeats}

    def of_first(self) -> Scenario:
        """The same with the cells of the first contrast alone."""
        of = self.weights[:, 0] != 0
        return replace(self, weights=self.weights[of, :1], shift=self.shift[of], spread=self.spread[of])

    def _difficulty(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
        if self.icc <= 0:
            return np.full(shape, self.base)
        return rng.beta(*_beta(self.base, self.icc), size=shape)

    def _moved(self, p: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
        p = np.clip(p, 1e-9, 1 - 1e-9)
        logit = np.log(p / (1 - p))[..., None] + self.shift + self.spread * own
        moved: NDArray[np.float64] = 1 / (1 + np.exp(-logit))
        return moved


def tuned(
    weights: NDArray[np.float64],
    means: NDArray[np.float64],
    damaged: NDArray[np.bool_],
    parts: Parts,
    noise: float = 1.0,
) -> Scenario:
    """A scenario whose cells have these means and whose first contrast has these variance parts.

    Where no task world has such parts (w^2 larger than the means allow, tau^2 smaller than what a shift on
    the logit scale brings, or larger than probabilities can differ) it comes as near as it can: compare
    `truth`.

    Args:
        weights: shape (n_cells, n_contrasts).
        means: mean score of each cell, shape (n_cells,), between 0 and 1, the same in all undamaged cells.
        damaged: cells whose effect differs between tasks, shape (n_cells,); at least one is not.
        parts: of the first contrast.
        noise: as in `Scenario`.

    Raises:
        ValueError: a mean is not between 0 and 1.
    """
    if not ((means > 0) & (means < 1)).all():
        raise ValueError(f"mean scores lie between 0 and 1; got {means.tolist()}: choose a smaller effect")
    base = float(means[~damaged][0])
    # w^2 = (1 - icc) * sum of squared weights x m(1-m), for cells that are Beta distributed
    most = float(noise * (means * (1 - means)) @ weights[:, 0] ** 2)
    icc = min(max(1 - parts.repeat / most, 0.0), 0.98)
    none = np.zeros(len(means))
    whole = Scenario(weights, base, icc, none, none, 0.0, noise)
    of = weights[:, 0] != 0
    p, own = _evenly(base, icc, int(of.sum()), _SAMPLE_LOG2)

    def spread_by(spread: float) -> tuple[Scenario, float]:
        first = replace(whole.of_first(), spread=np.where(damaged[of], spread, 0.0))
        first = _shifted(first, p, own, means[of])
        return first, float((first._moved(p, own) @ first.weights[:, 0]).var(ddof=1))

    low, high = 0.0, _MOST_SPREAD
    for _ in range(_HALVINGS // 2):
        middle = (low + high) / 2
        low, high = (middle, high) if spread_by(middle)[1] < parts.task else (low, middle)
    p, own = _evenly(base, icc, 1, _SAMPLE_LOG2)
    scenario = _shifted(replace(whole, spread=np.where(damaged, high, 0.0)), p, own, means)
    return _clustered(scenario, parts)


def _clustered(scenario: Scenario, parts: Parts) -> Scenario:
    """The same with the clusters' part as near as can be; what difficulty brings is each task's own."""
    if not parts.cluster > 0:
        return scenario
    shared = parts.cluster / parts.task
    for _ in range(_ROUNDS):
        found = replace(scenario, clustered=shared).truth().parts.cluster
        shared = min(shared * parts.cluster / found, 1.0) if found > 0 else 1.0
    return replace(scenario, clustered=shared)


def _shape(contrasts: NDArray[np.float64]) -> Shape:
    apart = contrasts - contrasts.mean()
    variance = float((apart**2).mean())
    if not variance > 0:
        return NORMAL
    return Shape(
        skew=float((apart**3).mean()) / variance**1.5,
        kurtosis=float((apart**4).mean()) / variance**2 - 3,
        informative=float((np.abs(contrasts) > _ZERO).mean()),
    )


def _shifted(
    scenario: Scenario, p: NDArray[np.float64], own: NDArray[np.float64], means: NDArray[np.float64]
) -> Scenario:
    """The same with shifts that give every cell its mean."""
    low, high = np.full(len(means), -_MOST_SHIFT), np.full(len(means), _MOST_SHIFT)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = replace(scenario, shift=middle)._moved(p, own).mean(axis=0) < means
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return replace(scenario, shift=(low + high) / 2)


def _beta(mean: float, icc: float) -> tuple[float, float]:
    size = 1 / icc - 1
    return mean * size, (1 - mean) * size


def _evenly(base: float, icc: float, n_cells: int, log2: int) -> _Tasks:
    """Difficulties and deviates of 2^log2 tasks that fill their distributions evenly, always the same."""
    from scipy.stats import norm

    points = _points(1 + n_cells, log2)
    return _beta_quantiles(points[:, 0], base, icc), norm.ppf(points[:, 1:])


def _even_pairs(
    base: float, icc: float, n_cells: int, log2: int
) -> tuple[_Tasks, _Tasks, NDArray[np.float64]]:
    """The same for pairs of tasks of one cluster, and what the cluster shares."""
    from scipy.stats import norm

    points = _points(2 + 3 * n_cells, log2)
    p, other = (_beta_quantiles(points[:, at], base, icc) for at in (0, 1))
    own, others, shared = np.split(norm.ppf(points[:, 2:]), 3, axis=1)
    return (p, own), (other, others), shared


def _points(dimensions: int, log2: int) -> NDArray[np.float64]:
    from scipy.stats.qmc import Sobol

    drawn = Sobol(dimensions, rng=fixed_generator()).random_base2(log2)
    points: NDArray[np.float64] = np.clip(drawn, 1e-9, 1 - 1e-9)
    return points


def _beta_quantiles(chances: NDArray[np.float64], base: float, icc: float) -> NDArray[np.float64]:
    from scipy.stats import beta

    if icc <= 0:
        return np.full(len(chances), base)
    quantiles: NDArray[np.float64] = beta.ppf(chances, *_beta(base, icc))
    return quantiles
