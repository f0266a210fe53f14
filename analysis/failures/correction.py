"""Shares of modes corrected for a coder who errs, by a sample that people have coded."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.failures.shares import CODES

Floats = NDArray[np.float64]


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


def corrected(
    coded: Sequence[str], people: Sequence[tuple[str, str]], alpha: float = 0.05
) -> tuple[Corrected, ...]:
    """Corrected share of each mode; none with fewer than two cases that people have coded.

    Args:
        coded: the coder's codes of all cases, those that people have coded among them.
        people: (people's code, coder's code) of the cases that people have coded.

    Source: Angelopoulos et al. 2023 (prediction-powered, power-tuned); Rogan & Gladen 1978.
    """
    if len(people) < 2:
        return ()
    inverted = _inverted(coded, people)
    found = []
    for at, mode in enumerate(CODES):
        f = np.array([code == mode for code in coded], dtype=float)
        y, guess = (np.array([pair[side] == mode for pair in people], dtype=float) for side in (0, 1))
        estimate, error = powered_mean(y, guess, f)
        reach = NormalDist().inv_cdf(1 - alpha / 2) * error
        low, high = max(estimate - reach, 0.0), min(estimate + reach, 1.0)
        matrix = None if inverted is None else inverted[at]
        found.append(Corrected(mode, len(people), float(f.mean()), estimate, low, high, matrix))
    return tuple(found)


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


def _inverted(coded: Sequence[str], people: Sequence[tuple[str, str]]) -> list[float] | None:
    """The shares that would be coded as was coded, by the matrix of errors; None where people lack a mode."""
    errors = np.array([[sum(pair == (true, said) for pair in people) for said in CODES] for true in CODES])
    there = errors.sum(axis=1) > 0
    seen = np.array([sum(code == said for code in coded) for said in CODES]) / len(coded)
    if not there[seen > 0].all():
        return None
    rates = (errors[there] / errors[there].sum(axis=1, keepdims=True))[:, there]
    if np.linalg.matrix_rank(rates) < len(rates):
        return None
    shares = np.zeros(len(CODES))
    shares[there] = np.clip(np.linalg.solve(rates.T, seen[there]), 0.0, 1.0)
    return [float(one) for one in shares / shares.sum()] if shares.sum() else None
