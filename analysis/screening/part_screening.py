"""The screening: main effects of all parts from half fractions, and the few that are worth fresh trials."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints

_TIE = 1e-9  # less is rounding


@dataclass(frozen=True, slots=True)
class ScreeningRules:
    """Which parts are chosen; fixed before the first trial. To be chosen is no finding.

    Args:
        threshold: largest two-sided p of a part that is chosen.
        most: how many are chosen at most, those with the smallest p.
    """

    threshold: float = 0.2
    most: int = 6


@dataclass(frozen=True, slots=True, eq=False)
class ScreenedParts:
    """Main effects: the score where a part stands less the score where it does not, over halves of the rest.

    Args:
        effect, error, freedom: of each part, shape (n_parts,); Satterthwaite's degrees of freedom.
        wider: the larger of `error` and the one with two pseudo tasks.
        p: against an effect of zero, two-sided.
        n_tasks: tasks with a complete pair.
    """

    effect: Floats
    error: Floats
    wider: Floats
    freedom: Floats
    p: Floats
    n_tasks: int

    def interval(self, part: int, alpha: float) -> tuple[float, float]:
        """Two-sided 1 - alpha interval of one part, within what a score can differ by."""
        from scipy.special import stdtrit

        reach = -float(stdtrit(self.freedom[part], alpha / 2)) * float(self.wider[part])
        return max(-1.0, float(self.effect[part]) - reach), min(1.0, float(self.effect[part]) + reach)

    def p_equivalence(self, margin: float) -> Floats:
        """P-value of each part against an effect at or beyond the margin, by two one-sided tests."""
        from scipy.special import stdtr

        return np.asarray(stdtr(self.freedom, -(margin - np.abs(self.effect)) / self.wider))


def screen(first: Bools, scores: Floats) -> ScreenedParts | None:
    """Estimate all main effects at once: least squares over pairs, with the error between tasks.

    With s = 1 where a part stands in the first half of a pair and -1 where it stands in the second, the
    difference of the pair's scores is on average the sum of s x effect: nothing else is left in it.

    Args:
        first: as from `draw_halves`, shape (n_tasks, n_pairs, n_parts).
        scores: of both halves, shape (n_tasks, n_pairs, 2); NaN where a trial was lost, and its pair with it.

    Returns:
        None where the pairs that are left do not tell the parts apart.

    Source: Bell & McCaffrey 2002; Pustejovsky & Tipton 2018 (CR2 and its degrees of freedom).
    """
    from scipy.special import stdtr

    n_tasks, n_pairs, n_parts = first.shape
    apart = (scores[..., 0] - scores[..., 1]).ravel()
    known = ~np.isnan(apart)
    signs = np.where(first, 1.0, -1.0).reshape(-1, n_parts)[known]
    apart, unit = apart[known], np.repeat(np.arange(n_tasks), n_pairs)[known]
    labels: Ints = np.unique(unit)
    if len(apart) <= n_parts or np.linalg.matrix_rank(signs) < n_parts or len(labels) < 2:
        return None
    inverse = np.linalg.inv(signs.T @ signs)
    effect = inverse @ signs.T @ apart
    spread = _robust_spread(signs, inverse, unit, labels)  # shape (n_labels, n_pairs in all, n_parts)
    parts_of_error = np.einsum("ijk,j->ik", spread, apart)
    error = np.sqrt((parts_of_error**2).sum(axis=0))
    of_part = np.moveaxis(spread, 2, 0)
    products = of_part @ np.swapaxes(of_part, 1, 2)
    traces = np.einsum("kii->k", products)
    squares = (products**2).sum(axis=(1, 2))
    # where hardly more pairs than parts are left, nothing may be known of a part's error
    freedom = np.where(squares > _TIE**2, traces**2 / np.maximum(squares, _TIE**2), 1.0)
    # two tasks that differ by one step of a pair, one way and the other: no error is ever zero
    step = sqrt(2) / (n_pairs * (len(labels) + 2))
    wider = np.sqrt((error * len(labels) / (len(labels) + 2)) ** 2 + step**2)
    wider = np.maximum(error, wider)
    tested = np.where(error > _TIE, error, wider)
    p = np.asarray(2 * stdtr(freedom, -np.abs(effect) / tested))
    return ScreenedParts(effect, error, wider, freedom, p, len(labels))


def _robust_spread(signs: Floats, inverse: Floats, unit: Ints, labels: Ints) -> Floats:
    """What each task adds to the error of each effect, as weights of the pairs' differences.

    Shape (n_labels, n_pairs in all, n_parts): times the differences, and squared, they sum to the variance.
    """
    n, n_parts = signs.shape
    residual = np.eye(n) - signs @ inverse @ signs.T
    spread = np.zeros((len(labels), n, n_parts))
    for place, label in enumerate(labels):
        rows = unit == label
        values, vectors = np.linalg.eigh(residual[np.ix_(rows, rows)])
        # a pair that its own part alone explains leaves no residual
        scale = np.where(values > _TIE, 1 / np.sqrt(np.maximum(values, _TIE)), 0.0)
        root = (vectors * scale) @ vectors.T
        spread[place] = residual[:, rows] @ root @ signs[rows] @ inverse
    return spread


def choose(screened: ScreenedParts, rules: ScreeningRules) -> tuple[int, ...]:
    """The parts that fresh trials are worth, in their order in the file."""
    ranked = np.lexsort((-np.abs(screened.effect), screened.p))
    likely = [int(part) for part in ranked if screened.p[part] <= rules.threshold]
    return tuple(sorted(likely[: rules.most]))
