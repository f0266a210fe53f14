"""Made-up tasks with a set truth, an effect and variance of clusters, tasks and repeats; power on them."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from memtrial.analysis.arrays import Floats, Rng
from memtrial.analysis.inference.sign_flip import student_max_t
from memtrial.analysis.planning.power import Question, weights_of
from memtrial.analysis.planning.variance import Clustering
from memtrial.ledger.random_streams import fixed_generator

CONTROL_DROP = 0.05
"""The control's own drop, in a contrast of drops (STATISTICS 4)."""
SPREAD_OF_SCORES = 0.5
"""Variance of a continuous score, as a share of the variance of a binary one."""
_SAMPLE = 8_000  # tasks from which shifts and spread are found
_MOST_SHIFT, _MOST_SPREAD, _MOST_ICC, _EDGE = 40.0, 6.0, 0.98, 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class MadeUpTasks:
    """How tasks behave, on the logit scale, so that no probability has to be cut off at 0 or 1.

    A task's success probability without damage is Beta distributed. In a damaged cell its logit is moved by
    `shift` plus `spread` times a normal deviate, of which the tasks of a cluster have a part in common.

    Args:
        weights: of each cell in each contrast, shape (n_cells, n_contrasts).
        base, icc: of the Beta distribution of the intact cells' success probability.
        shift, spread: of each cell, shape (n_cells,); 0 for an intact one.
        shared: share of the shift's variance that the tasks of one cluster have in common.
        dense: continuous scores instead of successes and failures.
    """

    weights: Floats
    base: float
    icc: float
    shift: Floats
    spread: Floats
    shared: float
    dense: bool

    def contrasts(self, clusters: Clustering, repeats: int, rng: Rng) -> Floats:
        """The contrasts of one experiment, shape (n_tasks, n_contrasts)."""
        index, n_cells = clusters.index, len(self.shift)
        own = rng.standard_normal((len(index), n_cells))
        common = rng.standard_normal((clusters.n_clusters, n_cells))[index]
        deviates = sqrt(1 - self.shared) * own + sqrt(self.shared) * common
        ease = np.full(len(index), self.base)
        if self.icc > 0:
            ease = rng.beta(*_beta(self.base, self.icc), size=len(index))
        p = _move_logits(ease, self.shift + self.spread * deviates)
        if not self.dense:
            scores = rng.binomial(repeats, p) / repeats
        else:
            p, size = np.clip(p, 1e-6, 1 - 1e-6), 1 / SPREAD_OF_SCORES - 1
            scores = rng.beta(p * size, (1 - p) * size, size=(repeats, *p.shape)).mean(axis=0)
        contrasts: Floats = scores @ self.weights
        return contrasts


def mean_scores(question: Question, effect: float, base: float) -> Floats:
    """Mean score of each cell where the first contrast alone has the effect, shape (n_cells,)."""
    weights, damaged = weights_of(question.family)
    drop = CONTROL_DROP * (question.family.members[0][1].estimand == "contrast")
    hit = damaged & (weights[:, 0] < 0)  # the damaged cell that the first contrast subtracts
    return base - drop * damaged - effect * hit


def no_room(question: Question, effect: float, base: float) -> str | None:
    """Why no tasks can have the effect; None where they can."""
    least = float(mean_scores(question, effect, base).min())
    if least > 0:
        return None
    room = f"a mean score of {base:.2f} leaves room for less than {effect + least:.2f}"
    return f"{room}; choose a smaller --effect"


def make_up(question: Question, effect: float, base: float, dense: bool = False) -> MadeUpTasks:
    """Tasks among which the first contrast of the family has the effect and the variance parts.

    The other contrasts have no effect. Where no tasks have such parts (w^2 larger than the means allow,
    tau^2 larger than probabilities can differ) the closest are made. `no_room` must have returned None.
    """
    from scipy.optimize import brentq
    from scipy.stats import beta

    (weights, damaged), means = weights_of(question.family), mean_scores(question, effect, base)
    first, parts = weights[:, 0], question.parts
    # w^2 = (1 - icc) x sum of squared weights x m(1 - m), for cells that are Beta distributed
    most = float((means * (1 - means)) @ first**2) * (SPREAD_OF_SCORES if dense else 1)
    icc = min(max(1 - parts.repeat / most, 0.0), _MOST_ICC)
    # evenly spaced quantiles of task difficulty
    chances = (np.arange(_SAMPLE) + 0.5) / _SAMPLE
    ease = beta.ppf(chances, *_beta(base, icc)) if icc > 0 else np.full(_SAMPLE, base)
    deviates = fixed_generator().standard_normal((2, _SAMPLE))
    levels = (float(means[damaged].min()), float(means[damaged].max()))
    pair = bool((first[damaged] > 0).any())  # the control's damaged cell is in the contrast too

    def shifts(spread: float) -> list[float]:
        return [_shift(ease, spread * z, mean) for z, mean in zip(deviates, levels, strict=True)]

    def excess(spread: float) -> float:
        low, other = (
            _move_logits(ease, by + spread * z) for by, z in zip(shifts(spread), deviates, strict=True)
        )
        return float(((other if pair else ease) - low).var()) - parts.task

    spread = 0.0 if excess(0.0) >= 0 else _MOST_SPREAD
    if spread and excess(spread) > 0:
        spread = float(brentq(excess, 0.0, _MOST_SPREAD, xtol=1e-3))
    roots = shifts(spread)
    slopes = [(_move_logits(ease, by + spread * z) * z).mean() for by, z in zip(roots, deviates, strict=True)]
    # covariance of two tasks whose deviates are the same, to first order
    common = float(slopes[0] ** 2 + pair * slopes[1] ** 2)
    shared = min(parts.cluster / common, 1.0) if spread else 0.0
    shift = np.where(means == levels[0], roots[0], roots[1]) * damaged
    return MadeUpTasks(weights, base, icc, shift, spread * damaged.astype(float), shared, dense)


def _shift(ease: Floats, moves: Floats, mean: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda by: _move_logits(ease, by + moves).mean() - mean, -_MOST_SHIFT, _MOST_SHIFT))


def _move_logits(ease: Floats, by: Floats) -> Floats:
    """Probabilities whose logits are moved, of the shape of `by`: one row a task."""
    p = np.clip(ease, _EDGE, 1 - _EDGE).reshape(-1, *(1,) * (by.ndim - 1))
    moved: Floats = 1 / (1 + (1 - p) / p * np.exp(-by))
    return moved


def _beta(mean: float, icc: float) -> tuple[float, float]:
    size = 1 / icc - 1
    return mean * size, (1 - mean) * size


FLIPS = 499


def simulated_power(
    tasks: MadeUpTasks, clusters: Clustering, repeats: int, alpha: float, experiments: int, rng: Rng
) -> float:
    """Share of experiments in which the family's first contrast has an adjusted p of at most alpha."""
    shown, units = 0, clusters.index
    for _ in range(experiments):
        contrasts = tasks.contrasts(clusters, repeats, rng)
        shown += bool(student_max_t(contrasts, units, FLIPS, rng)[0] <= alpha)
    return shown / experiments


def monte_carlo_error(power: float, experiments: int) -> float:
    """Standard error of a simulated power, above zero even where that is 0 or 1; 0 without a simulation."""
    return sqrt(max(power * (1 - power), 1 / experiments) / experiments) if experiments else 0.0
