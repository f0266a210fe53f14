"""Document 003's metrics of an evolution, an arm a row: success, its price, what memory gained and used.

Source: seeds/003 section 10, REQUIREMENTS F-42. Means are over streams: a stream is one observation of what a
memory that grows is worth.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from scipy.stats import t as student

from memtrial.evolution.stream_rows import TaskRow


@dataclass(frozen=True, slots=True)
class ArmMetrics:
    """One arm of one backbone.

    Args:
        streams: that have ended.
        tasks, errors: over all of them; errors are in no mean.
        success: the mean over streams of the share of tasks that were solved, with its 95 % interval.
        first_half, second_half: the same of the tasks of each half of a stream.
        steps_a_success: steps of what was handed in, where that was solved.
        calls_a_task: of the agent, over all tries.
        usd_a_success: all that was spent, by the tasks that were solved; None where a price is not known.
        new_items_a_100: items that 100 tasks gave.
        used_items_a_task: items of the bank that a task was shown.
        cited_a_task: of these, those that the agent cited.
        lost_replies: replies of the writer that could not be read, and items that were dropped.
        any_try: the share of tasks that one try at least solved: what a perfect judge would hand in.
    """

    backbone: str
    arm: str
    streams: int
    tasks: int
    errors: int
    success: float
    success_low: float
    success_high: float
    first_half: float
    second_half: float
    steps_a_success: float
    calls_a_task: float
    usd_a_success: float | None
    new_items_a_100: float
    used_items_a_task: float
    cited_a_task: float
    lost_replies: int
    any_try: float


def measure_arms(rows: Iterable[TaskRow]) -> tuple[ArmMetrics, ...]:
    """The metrics of every arm, in the order in which their rows come."""
    by_arm: dict[tuple[str, str], list[TaskRow]] = defaultdict(list)
    for row in rows:
        by_arm[row.backbone, row.arm].append(row)
    return tuple(_measure(backbone, arm, own) for (backbone, arm), own in by_arm.items())


def _measure(backbone: str, arm: str, rows: Sequence[TaskRow]) -> ArmMetrics:
    done = [row for row in rows if row.solved is not None]
    by_stream: dict[int, list[TaskRow]] = defaultdict(list)
    for row in done:
        by_stream[row.stream].append(row)
    half = (max((row.position for row in rows), default=0) + 1) / 2
    shares = [_share(own) for own in by_stream.values()]
    mean, low, high = _interval(shares)
    solved = [row for row in done if row.solved]
    spent = [row.usd for row in done]
    known = [usd for usd in spent if usd is not None]
    return ArmMetrics(
        backbone=backbone,
        arm=arm,
        streams=len({row.stream for row in rows}),
        tasks=len(rows),
        errors=len(rows) - len(done),
        success=mean,
        success_low=low,
        success_high=high,
        first_half=_mean([_share([row for row in own if row.position < half]) for own in by_stream.values()]),
        second_half=_mean(
            [_share([row for row in own if row.position >= half]) for own in by_stream.values()]
        ),
        steps_a_success=_mean([row.n_steps for row in solved]),
        calls_a_task=_mean([row.calls for row in done]),
        usd_a_success=sum(known) / len(solved) if solved and len(known) == len(spent) else None,
        new_items_a_100=100 * _mean([len(row.new_items) for row in done]),
        used_items_a_task=_mean([len(row.shown) for row in done]),
        cited_a_task=_mean([len(row.cited) for row in done]),
        lost_replies=sum(len(row.unread) for row in done),
        any_try=_mean([row.solved_tries > 0 for row in done]),
    )


def _share(rows: Sequence[TaskRow]) -> float:
    return _mean([bool(row.solved) for row in rows])


def _mean(values: Sequence[float]) -> float:
    """NaN where there is none."""
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else nan


def _interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """The mean with Student's 95 % interval over streams, within [0, 1]; NaN bounds for a single one."""
    mean = _mean(shares)
    if len(shares) < 2:
        return mean, nan, nan
    half = float(student.ppf(0.975, len(shares) - 1)) * float(np.std(shares, ddof=1)) / sqrt(len(shares))
    return mean, max(0.0, mean - half), min(1.0, mean + half)
