"""What became of the banks of an evolution, and how often its judge was wrong."""

from collections.abc import Iterator, Sequence

from memtrial.evolution.stream_parts import average
from memtrial.evolution.stream_rows import StreamEnd, TaskRow
from memtrial.views.rows.evolution_rows import EvolvedArm, JudgeErrors, MemoryGrowth


def count_growth(ends: Sequence[StreamEnd], arms: Sequence[EvolvedArm]) -> Iterator[MemoryGrowth]:
    """The banks of every arm that has some, over all streams that have ended."""
    for backbone, arm, own in _by_arm(ends, arms):
        if not arm.learns:
            continue
        rows = [row for end in own for row in end.rows if row.solved is not None]
        steps = [step for end in own for step in end.consolidations]
        shown = [row for row in rows if row.shown]
        yield MemoryGrowth(
            backbone=backbone,
            arm=arm.name,
            streams=len(own),
            made=sum(len(row.new_items) for row in rows),
            active=sum(end.items for end in own),
            shown_tasks=average([bool(row.shown) for row in rows]),
            cited_tasks=average([bool(row.cited) for row in shown]),
            consolidations=len(steps),
            links=sum(step.links for step in steps),
            quarantined=sum(step.quarantined for step in steps),
            duplicates=sum(step.duplicates for step in steps),
            promoted=sum(step.promoted for step in steps),
            archived=sum(step.archived for step in steps),
        )


def count_judged(ends: Sequence[StreamEnd], arms: Sequence[EvolvedArm]) -> Iterator[JudgeErrors]:
    """The judge's verdicts on what every arm handed in, against the world's own word."""
    for backbone, arm, own in _by_arm(ends, arms):
        rows = [row for end in own for row in end.rows if row.solved is not None]
        failed = [row for row in rows if row.judged and not row.solved]
        solved = [row for row in rows if row.judged and row.solved]
        yield JudgeErrors(
            backbone=backbone,
            arm=arm.name,
            tasks=len(rows),
            unread=sum(not row.judged for row in rows),
            failures=len(failed),
            false_success=_count(failed, "success"),
            successes=len(solved),
            false_failure=_count(solved, "failure"),
        )


def _count(rows: Sequence[TaskRow], label: str) -> int:
    return sum(row.judged == label for row in rows)


def _by_arm(
    ends: Sequence[StreamEnd], arms: Sequence[EvolvedArm]
) -> Iterator[tuple[str, EvolvedArm, list[StreamEnd]]]:
    """The streams of every arm of every backbone that has some; a stream without a row is nobody's."""
    begun = [(end.rows[0], end) for end in ends if end.rows]
    for backbone in dict.fromkeys(row.backbone for row, _ in begun):
        for arm in arms:
            own = [end for row, end in begun if (row.backbone, row.arm) == (backbone, arm.name)]
            if own:
                yield backbone, arm, own
