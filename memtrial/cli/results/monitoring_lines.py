"""What may be seen of a run's outcomes while it goes on: the e-process and the looks, for `status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtrial.ledger.run_plan import RunPlan
from memtrial.ledger.shards.shard_facts import read_shard
from memtrial.protocol.masking import Mask
from memtrial.protocols import LedgerStore

if TYPE_CHECKING:
    from memtrial.ledger.blocks.block_outcomes import BlockOutcomes
    from memtrial.protocol.monitoring_rows import Monitoring


def watch_here(
    ledger: LedgerStore, blocks: Sequence[BlockOutcomes], plan: RunPlan | None, mask: Mask
) -> Monitoring | None:
    """What can be said while the run goes on; None before its first trial, and of a shard."""
    if plan is None or not plan.trials or not plan.task_order or read_shard(ledger) is not None:
        return None
    from memtrial.protocol.complete_outcomes import watch_run

    return watch_run(ledger, blocks, plan, mask)


def monitoring_lines(seen: Monitoring, room: int | None) -> Iterator[str]:
    """The same in lines of a terminal; `room`: characters of a line, None for all."""
    from memtrial.reports.render.table_lines import table_lines
    from memtrial.reports.sections.row_tables import e_table, looks_table

    yield f"e-process after {seen.tasks_complete} complete tasks (against no effect, safe at any time):"
    taken = seen.looks.planned > 1 and seen.looks.in_force
    for table in (e_table(seen), *([looks_table(seen)] if taken else [])):
        # the page's minus sign is none that every terminal has
        yield from (f"  {line}".replace("\u2212", "-") for line in table_lines(table, room))
    if seen.looks.planned > 1 and not seen.looks.in_force:
        yield f"{seen.looks.planned} looks are asked for, and no lock stands that fixed them: none is taken"
