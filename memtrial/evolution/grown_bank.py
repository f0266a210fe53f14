"""The bank of a stream at its end, as a file that a run can put on trial: `memory: bank.jsonl`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import JsonValue

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.interchange.bank_file import BankLine
from memtrial.memory.item import item_to_json
from memtrial.memory.markdown import render
from memtrial.private_file import write_whole


def grown_lines(arm: str, items: Sequence[BankItem]) -> Iterator[BankLine]:
    """A record a task, in the order in which they were learnt; the items of all its tries stand together."""
    by_task: dict[str, list[BankItem]] = {}
    for item in sorted(items, key=lambda item: item.id):
        by_task.setdefault(item.origin.task_id, []).append(item)
    for task, own in by_task.items():
        texts = [render(item.item, number) for number, item in enumerate(own, 1)]
        yield BankLine(
            trace_id=own[0].origin.trajectory_id,
            task_id=task,
            query=own[0].origin.query,
            outcome=own[0].origin.outcome,
            condenser=arm,
            items=tuple(
                {"markdown": text, **item_to_json(item.item), **_own_outcome(item, own[0])}
                for text, item in zip(texts, own, strict=True)
            ),
            reply="\n\n".join(texts),
            record={},
        )


def write_grown(path: Path, arm: str, items: Sequence[BankItem]) -> None:
    """Write it; nothing where it is empty, which is no bank."""
    if items:
        write_whole(path, "".join(f"{line.model_dump_json()}\n" for line in grown_lines(arm, items)))


def _own_outcome(item: BankItem, first: BankItem) -> dict[str, JsonValue]:
    """What it is, where the line's outcome is another: a contrast gives both of one task."""
    own = item.origin.outcome
    return {} if own == first.origin.outcome else {"outcome": own}
