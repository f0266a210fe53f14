"""Means over streams, as a stream is one observation, with Student's interval."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from scipy.stats import t as student

from memtrial.evolution.stream_rows import TaskRow

Interval = tuple[float | None, float | None, float | None]
"""A mean and the ends of its interval."""


def share_solved(rows: Sequence[TaskRow]) -> float | None:
    """The share of tasks that were solved; errors are left out."""
    return average([bool(row.solved) for row in rows if row.solved is not None])


def average(values: Sequence[float | None]) -> float | None:
    """Of those that are known; None where there is none."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def average_streams(values: Sequence[float | None], least: float = 0.0) -> Interval:
    """The mean over streams with its 95 % interval, within [least, 1]; no ends for a single stream."""
    known = [value for value in values if value is not None]
    mean = average(known)
    if mean is None or len(known) < 2:
        return mean, None, None
    half = float(student.ppf(0.975, len(known) - 1)) * float(np.std(known, ddof=1)) / sqrt(len(known))
    return mean, max(least, mean - half), min(1.0, mean + half)
