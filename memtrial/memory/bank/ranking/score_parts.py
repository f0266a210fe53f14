"""The parts of a score, of one item or of many: recency, and what stands for confidence. All are in [0, 1].

An e-fold of 45 days halves in 31.2; a half-life of 45 is an e-fold of 64.9 (REQUIREMENTS C10).
"""

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.ranking.ranking_profile import ConfidenceForm, RecencyForm

DAY_S = 86_400.0
BOOST = 0.2
"""The most that citations add to a confidence that is boosted by them (REQUIREMENTS C6)."""
Figures = NDArray[np.float64]


class ItemFigures(NamedTuple):
    """What a score reads of items, each of shape (n,).

    Args:
        created: seconds since 1970.
        touched: when an item was last cited, or else made.
        confidence: as stored.
    """

    created: Figures
    touched: Figures
    confidence: Figures
    wins: Figures
    losses: Figures
    cited: Figures


def rate_recency(since: Figures, clock: float, form: RecencyForm) -> Figures:
    """How much is left after the time since then: 1 at once, and for what is dated ahead of the clock."""
    folds = np.maximum(clock - since, 0.0)
    folds /= -DAY_S * form.days
    return np.exp2(folds, out=folds) if form.kind == "half_life" else np.exp(folds, out=folds)


def rate_confidence(figures: ItemFigures, clock: float, form: ConfidenceForm) -> Figures:
    """What stands for confidence in a score."""
    rated = _rate_undecayed(figures, form)
    if form.decay_days is not None:
        rated = rated * rate_recency(figures.touched, clock, RecencyForm(days=form.decay_days))
    return np.minimum(np.maximum(rated, 0.0), 1.0)


def odds_of(wins: float, losses: float, form: ConfidenceForm) -> float:
    """log((wins + a) / (losses + b)): unbounded, so never in a score; its logistic is."""
    return log((wins + form.wins_prior) / (losses + form.losses_prior))


def _rate_undecayed(figures: ItemFigures, form: ConfidenceForm) -> Figures:
    if form.kind == "log_odds":
        won = figures.wins + form.wins_prior
        return won / (won + figures.losses + form.losses_prior)
    if form.kind == "usage":
        return (1 + figures.cited) / (2 + figures.cited)
    if form.kind == "boosted":
        return figures.confidence * (1 + BOOST * np.tanh(np.log1p(figures.cited)))
    return figures.confidence
