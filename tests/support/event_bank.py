"""Banks for tests: a log with a clock that ticks, items and vectors made of a number."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.memory.bank.bank_item import BankItem, ItemOrigin
from memtrial.memory.bank.events.bank_events import BankEvent, Cause, ItemAdded, VectorAdded
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.item import NativeItem

BEGAN = 1_800_000_000.0
CAUSE = Cause("a test", "to see")
SPACE, DIMENSIONS = "test/8", 8
PROJECTS = ("org/team/one", "org/team", "org", "org/team/two", "other/team/one", "")
SECRET = "sk-not-a-real-one"


def hide_secret(text: str) -> str:
    """Stands in for a redactor."""
    return text.replace(SECRET, "[SECRET]")


def ticks(start: float = BEGAN) -> Iterator[float]:
    """Seconds, one by one."""
    return (start + number for number in count())


def open_log(folder: Path, name: str = "memory.db") -> BankLog:
    clock = ticks()
    return BankLog(folder / name, hide_secret, lambda: next(clock))


def make_item(number: int, **origin: object) -> BankItem:
    """The item of a number: its project, outcome, tags and confidence go round."""
    source = ItemOrigin(
        f"task-{number}",
        f"query {number}",
        "success" if number % 3 else "failure",
        project=PROJECTS[number % len(PROJECTS)],
        domain=("shop", "forum")[number % 2],
        tags=("python", "auth")[: number % 3],
    )
    words = NativeItem(f"title {number}", f"about {number}", f"do {number}")
    source = replace(source, **origin)
    return BankItem(f"rm_{number:026d}", 1, words, source, BEGAN + number, (number % 11) / 10)


def make_vector(number: int) -> bytes:
    """Each third is zero or equal to another one."""
    rng = np.random.default_rng(number // 3 if number % 3 == 1 else number)
    vector = np.zeros(DIMENSIONS) if number % 17 == 5 else rng.normal(size=DIMENSIONS)
    return np.asarray(vector, dtype="<f4").tobytes()


def with_vector(item: BankItem, number: int) -> list[BankEvent]:
    return [ItemAdded(item), VectorAdded(item.id, "item", make_vector(number))]


def fill(log: BankLog, numbers: range) -> None:
    """Add the items of these numbers, each with its vector, as one batch."""
    log.fix_space(SPACE, DIMENSIONS, CAUSE)
    log.append([event for number in numbers for event in with_vector(make_item(number), number)], CAUSE)


def make_trajectory(number: int = 1, text: str = "") -> Trajectory:
    steps = (Step("think", f"act {number} {text}", "saw it"), Step("done", "finish", "end"))
    return Trajectory(f"trace-{number}", f"task-{number}", f"query {number}", "success", steps)


TABLES = (
    "space", "items", "vectors", "links", "episodes", "records", "signals",
    "scaling_runs", "consolidations", "measures", "subjects",
)  # fmt: skip


def tables_of(log: BankLog) -> dict[str, list[tuple[object, ...]]]:
    """Everything that is read from the log."""
    return {name: sorted(log.read(f"SELECT * FROM {name}"), key=repr) for name in TABLES}
