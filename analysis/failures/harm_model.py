"""What precedes a failure with memory: a small regularised model, held against chance out of sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.drawn_p import state_p

FEWEST = 10
"""Failures, successes and units below which nothing is fitted."""
FOLDS = 5
DRAWS = 99
"""Permutations; the smallest p is .01."""
STRENGTH = 1.0
"""Inverse strength of the L2 penalty on standardised features; nothing is tuned on the data."""
NAMED = 3
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class HarmModel:
    """How well failures are predicted in tasks that the model has not seen.

    Args:
        cases, failures, units: exposed trials, those that failed, and the units they come from.
        auc, log_loss: of predictions for units left out; None where there was too little to fit.
        auc_chance, log_loss_chance: the means of the same after outcomes were permuted inside tasks.
        p: share of permutations with an AUC as large, (b + 1) / (draws + 1).
        features: the features with the largest weights, signed, a standard deviation each; empty where
            nothing predicts.
        says: one sentence.
    """

    cases: int
    failures: int
    units: int
    auc: float | None
    auc_chance: float | None
    log_loss: float | None
    log_loss_chance: float | None
    p: float | None
    features: tuple[tuple[str, float], ...]
    says: str


def harm_model(
    features: Mapping[str, Sequence[float]],
    failed: Sequence[bool],
    tasks: Sequence[str],
    units: Sequence[str],
    rng: Rng,
) -> HarmModel:
    """Fit, predict units left out, and do the same with permuted outcomes.

    Outcomes trade places only inside a task: that some tasks fail more often than others, whatever is shown
    there, is no prediction. Folds are made of whole units: tasks that share a record share features.

    Args:
        features: by name, a value for each case; one that does not vary is left out.
        failed, tasks, units: of each case.

    Source: ridge logistic regression, le Cessie & van Houwelingen 1992; permutation in blocks, Good 2005.
    """
    from sklearn import config_context

    y = np.array(failed, dtype=np.int64)
    sizes = (len(y), int(y.sum()), len(set(units)))
    if why := _too_little(y, tasks, sizes[2]):
        return HarmModel(*sizes, None, None, None, None, None, (), why)
    names = [name for name, values in features.items() if np.ptp(np.array(values, dtype=float)) > 0]
    if not names:
        why = "needs items that differ; got the same features in every case"
        return HarmModel(*sizes, None, None, None, None, None, (), why)
    x = np.column_stack([np.array(features[name], dtype=float) for name in names])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    folds = _folds(units, int(rng.integers(2**31)), y)
    task = np.unique(np.array(tasks), return_inverse=True)[1]
    mixed = [_permute_within_tasks(y, task, rng) for _ in range(DRAWS)]
    # half of the time of a small fit
    with config_context(assume_finite=True, skip_parameter_validation=True):
        (auc, loss), *others = (_scores(outcome, _predict(x, outcome, folds)) for outcome in (y, *mixed))
    aucs, losses = np.array(others).T
    p = (1 + int((aucs >= auc - 1e-12).sum())) / (DRAWS + 1)
    accuracy = f"out-of-sample AUC {auc:.2f}, {aucs.mean():.2f} by chance, {state_p(p, DRAWS)}"
    accuracy += f"; log-loss {loss:.3f}, {losses.mean():.3f} by chance"
    largest: tuple[tuple[str, float], ...] = ()
    says = f"nothing that is known of the items and their firings predicts it ({accuracy})"
    if p <= LEVEL and auc > 0.5:
        weights = _model().fit(x, y).coef_[0]
        order = np.argsort(-np.abs(weights), kind="stable")[:NAMED]
        largest = tuple((names[place], round(float(weights[place]), 4)) for place in order)
        named = ", ".join(f"{'more' if weight > 0 else 'less'} {name}" for name, weight in largest)
        says = f"predicted better than by chance ({accuracy}); most by {named}; this says not why"
    return HarmModel(*sizes, auc, float(aucs.mean()), loss, float(losses.mean()), p, largest, says)


def _too_little(y: Ints, tasks: Sequence[str], n_units: int) -> str:
    """Why nothing can be fitted; empty where it can."""
    failed, solved = int(y.sum()), len(y) - int(y.sum())
    if min(failed, solved, n_units) < FEWEST:
        return (
            f"needs at least {FEWEST} failures and {FEWEST} successes of exposed trials on {FEWEST} units;"
            f" got {failed}, {solved} and {n_units}; play more tasks or repeats"
        )
    if len(set(zip(tasks, y.tolist(), strict=True))) == len(set(tasks)):
        return (
            "needs a task that was both solved and failed with memory; got none, so chance cannot be told;"
            " play more arms or repeats"
        )
    return ""


def _folds(units: Sequence[str], seed: int, y: Ints) -> list[tuple[Ints, Ints]]:
    """Cases to learn from and cases to predict; each unit is predicted once."""
    from sklearn.model_selection import StratifiedGroupKFold

    parts = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    return list(parts.split(np.zeros((len(y), 1)), y, np.array(units)))


def _permute_within_tasks(y: Ints, task: Ints, rng: Rng) -> Ints:
    """Outcomes in another order inside each task."""
    before, after = np.argsort(task, kind="stable"), np.lexsort((rng.random(len(y)), task))
    mixed = np.empty_like(y)
    mixed[before] = y[after]
    return mixed


def _predict(x: Floats, y: Ints, folds: Sequence[tuple[Ints, Ints]]) -> Floats:
    """The chance of failure of each case, by models that have not seen its unit."""
    predicted = np.empty(len(y))
    for train, test in folds:
        if len(set(y[train].tolist())) < 2:
            predicted[test] = y[train].mean()
        else:
            predicted[test] = _model().fit(x[train], y[train]).predict_proba(x[test])[:, 1]
    return np.clip(predicted, 1e-6, 1 - 1e-6)


def _model() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=STRENGTH, solver="newton-cholesky")


def _scores(y: Ints, predicted: Floats) -> tuple[float, float]:
    from sklearn.metrics import log_loss, roc_auc_score

    return float(roc_auc_score(y, predicted)), float(log_loss(y, predicted))
