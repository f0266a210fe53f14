"""Document 003's metrics of an evolution, an arm a row: success, its price, what memory gained and used.

Source: seeds/003 section 10, REQUIREMENTS F-42. Means are over streams: a stream is one observation of what a
memory that grows is worth.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from memtrial.evolution.stream_parts import average, average_streams, share_solved
from memtrial.evolution.stream_rows import TaskRow
from memtrial.views.rows.evolution_rows import ArmMetrics


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
    mean, low, high = average_streams([share_solved(own) for own in by_stream.values()])
    solved = [row for row in done if row.solved]
    spent = [row.usd for row in done]
    usd = None if any(amount is None for amount in spent) else sum(filter(None, spent))
    items = average([len(row.new_items) for row in done])
    return ArmMetrics(
        backbone=backbone,
        arm=arm,
        streams=len({row.stream for row in rows}),
        tasks=len(rows),
        errors=len(rows) - len(done),
        success=mean,
        success_low=low,
        success_high=high,
        first_half=average(
            [share_solved([row for row in own if row.position < half]) for own in by_stream.values()]
        ),
        second_half=average(
            [share_solved([row for row in own if row.position >= half]) for own in by_stream.values()]
        ),
        steps_a_success=average([row.n_steps for row in solved]),
        calls_a_task=average([row.calls for row in done]),
        usd_a_success=usd / len(solved) if solved and usd is not None else None,
        new_items_a_100=None if items is None else 100 * items,
        used_items_a_task=average([len(row.shown) for row in done]),
        cited_a_task=average([len(row.cited) for row in done]),
        lost_replies=sum(len(row.unread) for row in done),
        any_try=average([row.solved_tries > 0 for row in done]),
        writer_calls_a_task=average([row.writer_calls for row in done]),
        usd=usd,
    )
