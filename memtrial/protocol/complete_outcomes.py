"""The hypotheses of a run as it stands, from the tasks that are complete: for who looks at many trials."""

from collections.abc import Collection, Iterator, Sequence

from memtrial.ledger.blocks.block_outcomes import BlockOutcomes
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import Amendment, RunPlan, TakenLook, read_lock, read_numbered
from memtrial.ledger.trial_cells import Cell
from memtrial.outcomes.reserved_names import NONE, WITHOUT
from memtrial.protocol.masking import Mask
from memtrial.protocol.monitoring import cells_monitored, masked_look, monitor_blocks
from memtrial.protocol.monitoring_rows import Monitoring
from memtrial.protocol.run_cells import planned_cells
from memtrial.protocols import LedgerStore


def narrow_blocks(
    blocks: Sequence[BlockOutcomes], plan: RunPlan, mask: Mask, cells: Collection[Cell]
) -> Iterator[BlockOutcomes]:
    """The planned trials of these cells, which have masked names, as the trials have.

    Raises:
        LedgerFault: a trial stands twice, or its score is none.
    """
    shown = {
        (arm, condition): (mask.of(arm), condition)
        for arm, condition in planned_cells(plan)
        if (mask.of(arm), condition) in cells
    }
    lists: dict[tuple[Cell, ...], tuple[tuple[int, ...], tuple[Cell, ...]]] = {}  # a run has few
    for block in blocks:
        if block.backbone not in plan.backbones:
            continue
        if block.cells not in lists:
            numbers = tuple(number for number, cell in enumerate(block.cells) if cell in shown)
            _refuse_twice(block, numbers)
            lists[block.cells] = numbers, tuple(shown[block.cells[number]] for number in numbers)
        numbers, names = lists[block.cells]
        for number in numbers:
            if (score := block.scores[number]) is not None and not 0.0 <= score <= 1.0:
                place = _name_trial(block, number)
                raise LedgerFault(f"a ledger with scores in [0, 1] is needed; {place!r} has {score!r}")
        if numbers:
            statuses = tuple([block.statuses[number] for number in numbers])
            scores = tuple([block.scores[number] for number in numbers])
            yield BlockOutcomes(*block.place, names, statuses, scores)


def _refuse_twice(block: BlockOutcomes, numbers: Sequence[int]) -> None:
    """No run writes such rows: somebody changed the file behind the ledger's back."""
    cells = [block.cells[number] for number in numbers]
    for number, cell in zip(numbers, cells, strict=True):
        if cells.count(cell) > 1:
            place = _name_trial(block, number)
            raise LedgerFault(f"a ledger that holds each trial once is needed; this has {place!r} twice")


def _name_trial(block: BlockOutcomes, number: int) -> tuple[object, ...]:
    return block.backbone, *block.cells[number], block.task, block.repeat


def watch_run(
    ledger: LedgerStore, blocks: Sequence[BlockOutcomes], plan: RunPlan, mask: Mask
) -> Monitoring | None:
    """What is seen of the hypotheses so far; None where none is planned or nothing is seen yet."""
    taken = tuple(masked_look(entry, mask) for entry in read_numbered(ledger, TakenLook))
    stands = read_lock(ledger) is not None and not read_numbered(ledger, Amendment)
    shown = mask.plan(plan)
    narrow = narrow_blocks(blocks, plan, mask, cells_monitored(shown) | {(NONE, WITHOUT)})
    seen = monitor_blocks(tuple(narrow), shown, taken, stands)
    return seen if seen.hypotheses else None
