"""A bank in a file of ours, as an evolution writes it, as a bank with a log: its items and their records.

Such a file holds no more than that: ids, confidence, uses and runs of the bank that it was are not in it, so
that items begin anew. The vectors are made when the bank is searched.
"""

from collections.abc import Iterator, Sequence
from typing import get_args

from memtrial.memory.bank.bank_item import BankItem, ItemOrigin, Outcome
from memtrial.memory.bank.confidence.initial_confidence import initialise_confidence
from memtrial.memory.bank.events.bank_events import BankEvent, Cause, ItemAdded, RecordAdded
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.exports.upstream_lines import TakenRecords
from memtrial.memory.interchange.bank_file import BankLine
from memtrial.memory.item import item_from_json
from memtrial.memory.stored_item import MemoryFault


def take_lines(log: BankLog, lines: Sequence[BankLine], project: str) -> TakenRecords:
    """Put the lines of a bank that was read into an empty bank, all of them or none.

    Raises:
        MemoryFault: the bank is not empty, or cannot be written.
    """
    if log.last()[0]:
        raise MemoryFault("a bank of a file goes into a new bank; this one has something in it")
    events = [event for line in lines for event in _events_of(log, line, project)]
    log.append(events, Cause("import", f"a bank of {lines[0].condenser}" if lines else "an empty bank"))
    return TakenRecords(
        len(lines),
        sum(isinstance(event, ItemAdded) for event in events),
        sum(log.redact(text) != text for text in map(BankLine.model_dump_json, lines)),
    )


def _events_of(log: BankLog, line: BankLine, project: str) -> Iterator[BankEvent]:
    ids = []
    for fields in line.items:
        outcome = _outcome_of(fields.get("outcome")) or _outcome_of(line.outcome) or "success"
        origin = ItemOrigin(line.task_id, line.query, outcome, line.trace_id, project)
        trusted = initialise_confidence(outcome)
        ids.append(log.make_item_id())
        yield ItemAdded(BankItem(ids[-1], 1, item_from_json(fields), origin, log.clock(), trusted))
    yield RecordAdded(log.make_id(), line.task_id, line.query, tuple(ids), "", line.reply)


def _outcome_of(value: object) -> Outcome | None:
    return next((known for known in get_args(Outcome) if known == value), None)
