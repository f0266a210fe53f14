"""Shares of failure modes: intervals that hold for all modes at once, and correction for a coder who errs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis_rules import STANDARD_RULES

Mode = Literal["distraction", "reliance", "premature"]
MODES: tuple[Mode, ...] = ("distraction", "reliance", "premature")
OTHER, SUCCESS = "other", "success"
CODES = (*MODES, OTHER)
"""What a failure is coded as."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Failures by mode.

    Args:
        n: failures; with repeats the sum of the weights of their tasks.
        counts, shares, low, high: by mode; shares and ends of their intervals in [0, 1], None where n is 0.
        sison_glaz: ends by mode by the other method; empty where the counts are weights.
    """

    n: float
    counts: Mapping[str, float]
    shares: Mapping[str, float | None]
    low: Mapping[str, float | None]
    high: Mapping[str, float | None]
    sison_glaz: Mapping[str, tuple[float, float]]


def shares_of(counts: Mapping[str, float], alpha: float = STANDARD_RULES.alpha) -> Shares:
    """Shares with Goodman's simultaneous intervals.

    A task weighs at most one, so intervals of weighted counts are too wide rather than too narrow.

    Source: Goodman 1965; Sison & Glaz 1995.
    """
    n = sum(counts.values())
    if n <= 0:
        nothing = dict.fromkeys(counts)
        return Shares(0, counts, nothing, nothing, nothing, {})
    from statsmodels.stats.proportion import multinomial_proportions_confint as ends

    numbers = np.array(list(counts.values()), dtype=float)
    if len(counts) == 1:
        intervals = np.array([[0.0, 1.0]])
    else:
        intervals = np.clip(ends(numbers, alpha=alpha, method="goodman"), 0.0, 1.0)
    whole = len(counts) > 1 and bool(np.all(numbers == np.round(numbers)))
    others = ends(numbers.astype(int), alpha=alpha, method="sison-glaz") if whole else []
    return Shares(
        n,
        counts,
        {mode: count / n for mode, count in counts.items()},
        dict(zip(counts, intervals[:, 0].tolist(), strict=True)),
        dict(zip(counts, intervals[:, 1].tolist(), strict=True)),
        {mode: (float(pair[0]), float(pair[1])) for mode, pair in zip(counts, others, strict=False)},
    )


@dataclass(frozen=True, slots=True)
class Corrected:
    """The share of one mode.

    Args:
        coded: by the coder alone, over all cases.
        estimate, low, high: prediction-powered, from the coder's codes and the people's; in [0, 1].
        matrix: by the inverted matrix of errors, as a check; None where it cannot be inverted.
    """

    mode: str
    human: int
    coded: float
    estimate: float
    low: float
    high: float
    matrix: float | None


def correct_shares(
    coded: Sequence[str], people: Sequence[tuple[str, str]], alpha: float = STANDARD_RULES.alpha
) -> tuple[Corrected, ...]:
    """Corrected share of each mode; none with fewer than two cases that people have coded.

    Args:
        coded: the coder's codes of all cases, those that people have coded among them.
        people: (people's code, coder's code) of the cases that people have coded.

    Source: Angelopoulos et al. 2023 (prediction-powered, power-tuned); Rogan & Gladen 1978.
    """
    if len(people) < 2:
        return ()
    inverted = _invert_errors(coded, people)
    shares_corrected = []
    for place, mode in enumerate(CODES):
        f = np.array([code == mode for code in coded], dtype=float)
        y, guess = (np.array([pair[side] == mode for pair in people], dtype=float) for side in (0, 1))
        estimate, error = powered_mean(y, guess, f)
        reach = NormalDist().inv_cdf(1 - alpha / 2) * error
        low, high = max(estimate - reach, 0.0), min(estimate + reach, 1.0)
        matrix = None if inverted is None else inverted[place]
        shares_corrected.append(Corrected(mode, len(people), float(f.mean()), estimate, low, high, matrix))
    return tuple(shares_corrected)


def powered_mean(y: Floats, guess: Floats, every: Floats) -> tuple[float, float]:
    """The mean of y and its standard error, helped by guesses.

    Args:
        y, guess: truth and guess where the truth is known, shape (n,).
        every: the guess of all cases, the n among them, shape (N,).
    """
    n, spread = len(y), guess.var(ddof=1)
    weight = np.cov(y, guess)[0, 1] / spread if spread > 0 else 0.0
    variance = (y - weight * guess).var(ddof=1) / n + weight**2 * every.var() / len(every)
    mean = y.mean() + weight * (every.mean() - guess.mean())
    return float(min(max(mean, 0.0), 1.0)), float(np.sqrt(variance))


def _invert_errors(coded: Sequence[str], people: Sequence[tuple[str, str]]) -> list[float] | None:
    """The shares that would be coded as was coded, by the matrix of errors; None where people lack a mode."""
    errors = np.array(
        [[sum(pair == (true, code_given) for pair in people) for code_given in CODES] for true in CODES]
    )
    there = errors.sum(axis=1) > 0
    seen = np.array([sum(code == label for code in coded) for label in CODES]) / len(coded)
    if not there[seen > 0].all():
        return None
    rates = (errors[there] / errors[there].sum(axis=1, keepdims=True))[:, there]
    if np.linalg.matrix_rank(rates) < len(rates):
        return None
    shares = np.zeros(len(CODES))
    shares[there] = np.clip(np.linalg.solve(rates.T, seen[there]), 0.0, 1.0)
    return [float(share) for share in shares / shares.sum()] if shares.sum() else None
