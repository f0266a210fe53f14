"""`mt.trial`: agents in plain Python, of known disposition, get the words that they must get."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

import memtrial as mt
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.rows import TrialRow

NOTES = """When the lamp is red, press the green button first.
When the bell rings, open the north door before you turn the wheel.
When the tank is full, close the valve at once. Do not pull the lever."""
ACTS = {"lamp": "press the green button", "bell": "open the north door", "tank": "close the valve"}
TASKS = [
    {
        "id": f"{thing} {number}",
        "query": f"The {thing} again, case {number}.",
        "thing": thing,
        "family": thing,
    }
    for number in range(14)
    for thing in ACTS
][:40]
FEW = TASKS[:4]


def luck(task: Any, share: int) -> bool:
    return crc32(task.id.encode()) % 100 < share


def reads(task: Any, memory: Any) -> bool:
    lines = [line for line in memory.text.splitlines() if task["thing"] in line]
    return any(ACTS[task["thing"]] in line and "never" not in line for line in lines) or luck(task, 20)


def ignores(task: Any, memory: Any) -> bool:
    assert isinstance(memory.text, str)
    return luck(task, 50)


def lifted_by_any_text(task: Any, memory: Any) -> bool:
    return luck(task, 80 if memory.text else 20)


def never_looks(task: Any, memory: Any) -> bool:
    return luck(task, 50)


def at(folder: Path, **more: Any) -> mt.TrialOptions:
    return mt.TrialOptions(out=folder / "run", **more)


def rows_of(folder: Path) -> tuple[TrialRow, ...]:
    ledger = open_ledger_to_read(folder / "run" / "ledger.sqlite")
    try:
        return tuple(ledger.trials())
    finally:
        ledger.close()


@pytest.mark.parametrize(
    ("agent", "utility", "content"),
    [
        (reads, "helps", ("load-bearing",)),
        (ignores, "none", ("untestable", "inert")),
        (lifted_by_any_text, "helps", ("inert",)),
        (never_looks, "untestable", ("untestable",)),
    ],
)
def test_each_disposition_gets_its_word(
    agent: Callable[..., bool], utility: str, content: tuple[str, ...], tmp_path: Path
) -> None:
    results = mt.trial(agent, TASKS, NOTES, options=at(tmp_path))
    (by_arm,) = results.verdicts.values()
    assert results.utility == {f"own/{agent.__name__}": {"memory": utility}}
    assert by_arm["memory"]["corrupt_invert"] in content
    assert by_arm["memory"]["counter"] in content
    assert by_arm["memory"]["paraphrase"] != "load-bearing"
    assert not results.simulated
    never = [row.because for row in results.estimates if agent is never_looks and row.estimand == "utility"]
    assert never == [{"trials": 280}] * (agent is never_looks)
