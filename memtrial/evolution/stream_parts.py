"""The course of an evolution: success, lift and items, part by part of the streams.

Means are over streams, as a stream is one observation, with Student's interval.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np
from scipy.stats import t as student

from memtrial.evolution.stream_rows import TaskRow
from memtrial.views.rows.evolution_rows import EvolvedArm, StreamPart

PARTS = 8
"""At most: parts share no task, so that each is an observation of its own."""

Interval = tuple[float | None, float | None, float | None]
"""A mean and the ends of its interval."""


def measure_parts(
    rows: Sequence[TaskRow], arms: Sequence[EvolvedArm], n_tasks: int, reference: str | None
) -> Iterator[StreamPart]:
    """Each arm of each backbone, part by part, in the order of the arms.

    Args:
        n_tasks: of a stream.
        reference: the arm that lifts are against, in the same part of the same stream; None: there is none.
    """
    cuts = [part for part in np.array_split(np.arange(n_tasks), min(PARTS, n_tasks)) if len(part)]
    for backbone in dict.fromkeys(row.backbone for row in rows):
        for arm in arms:
            own = [row for row in rows if (row.backbone, row.arm) == (backbone, arm.name)]
            against = [row for row in rows if (row.backbone, row.arm) == (backbone, reference)]
            for cut in cuts if own else ():
                part = _measure_part(own, int(cut[0]), int(cut[-1]), arm)
                lifted = arm.name != reference and against
                yield _add_lift(part, own, against) if lifted else part


def _measure_part(rows: Sequence[TaskRow], first: int, last: int, arm: EvolvedArm) -> StreamPart:
    shares = list(_by_stream(rows, first, last).values())
    mean, low, high = average_streams(shares)
    made = sum(len(row.new_items) for row in rows if row.position <= last)
    return StreamPart(
        backbone=rows[0].backbone,
        arm=arm.name,
        first=first + 1,
        last=last + 1,
        streams=len([share for share in shares if share is not None]),
        success=mean,
        success_low=low,
        success_high=high,
        items=made / len({row.stream for row in rows}) if arm.learns else None,
    )


def _add_lift(part: StreamPart, rows: Sequence[TaskRow], against: Sequence[TaskRow]) -> StreamPart:
    own = _by_stream(rows, part.first - 1, part.last - 1)
    other = _by_stream(against, part.first - 1, part.last - 1)
    lifts = [
        None if share is None or (base := other.get(stream)) is None else share - base
        for stream, share in own.items()
    ]
    lift, low, high = average_streams(lifts, least=-1.0)
    return part.model_copy(update={"lift": lift, "lift_low": low, "lift_high": high})


def _by_stream(rows: Sequence[TaskRow], first: int, last: int) -> dict[int, float | None]:
    """The share solved of each stream among its tasks from the first to the last of these places."""
    streams = dict.fromkeys(row.stream for row in rows)
    return {
        stream: share_solved([row for row in rows if row.stream == stream and first <= row.position <= last])
        for stream in streams
    }


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
