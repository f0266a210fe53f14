"""A bank in a file of ours: JSON lines that `perturb`, `gates label`, an arm's `memory:` and `export` read.

A line is what `condense` writes of a trajectory, with its task and query, and, where it came from another
bank, its record there as `record`.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from memtrial.agents.trajectory import Verdict
from memtrial.faults import SpecFault
from memtrial.memory.interchange.upstream_bank import UpstreamEntry
from memtrial.memory.interchange.upstream_record import BankFormat
from memtrial.memory.item import ProseItem, item_from_json, item_to_json
from memtrial.memory.markdown import parse_all, render
from memtrial.memory.record_bank import Bank, Record
from memtrial.prompts.plain_text import lines_of

BANK_FILE = ".jsonl"
IMPORTED = "reasoning-bank"
"""The condenser's name of a bank that was imported."""
NEEDED = "a bank is the file that `memtrial import bank` writes"


class BankLine(BaseModel):
    """One record. `outcome` is empty where nobody said how its trajectory ended."""

    model_config = ConfigDict(frozen=True)
    trace_id: str
    task_id: str
    query: str
    template: str = ""
    outcome: str = ""
    condenser: str = IMPORTED
    layout: BankFormat = "webarena"
    items: tuple[dict[str, JsonValue], ...]
    reply: str
    record: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class HeldBank:
    """A bank of a file, and its lines."""

    bank: Bank
    lines: tuple[BankLine, ...]


def bank_line(entry: UpstreamEntry, layout: BankFormat) -> str:
    """An imported record as a line; a text that holds no item stands as one of prose."""
    items = parse_all(entry.reply) or ((ProseItem(entry.reply),) if entry.reply.strip() else ())
    held = BankLine(
        trace_id=entry.task_id,
        task_id=entry.task_id,
        query=entry.query,
        template=entry.template,
        outcome=entry.outcome or "",
        layout=layout,
        items=tuple(
            {"markdown": render(item, number), **item_to_json(item)} for number, item in enumerate(items, 1)
        ),
        reply=entry.reply,
        record=dict(entry.record),
    )
    return json.dumps(held.model_dump(mode="json"), ensure_ascii=False) + "\n"


def read_bank_file(path: Path) -> HeldBank:
    """The bank of a file.

    Raises:
        SpecFault: it cannot be read, holds no record, or two of the same task.
    """
    lines = tuple(_read_lines(path))
    if not lines:
        raise SpecFault(f"{NEEDED}; {path} holds no record")
    try:
        bank = Bank(lines[0].condenser, tuple(map(_record_of, lines)), lines[0].layout)
    except ValueError as fault:
        raise SpecFault(f"{path}: {fault}") from fault
    return HeldBank(bank, lines)


def _read_lines(path: Path) -> Iterable[BankLine]:
    for where, line in lines_of(path, NEEDED, SpecFault):
        try:
            yield BankLine.model_validate_json(line)
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            what = ".".join(map(str, first["loc"])) or "JSON"
            raise SpecFault(f"{NEEDED}; {where}: {what}: {first['msg']}") from None


def _record_of(line: BankLine) -> Record:
    outcome: Verdict = "failure" if line.outcome == "failure" else "success"
    items = tuple(item_from_json(item) for item in line.items)
    return Record(line.task_id, line.query, "", line.template, items, line.trace_id, outcome, line.reply)


def record_lines(held: HeldBank) -> Iterator[str]:
    """The records as they came, each a line."""
    return (json.dumps(line.record) + "\n" for line in held.lines)
