"""A bank's file as an arm's memory: the nearest records by query, and never the task's own."""

import asyncio
import json
from pathlib import Path

import pytest

from memtrial.api.interchange.bank_import import import_bank
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.bank_memory import open_bank_memory
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import State, Task

ITEM = "# Memory Item 1\n## Title {0}\n## Description About {0}.\n## Content Take the {0}."
QUERIES = {"1": "open the red door", "2": "open the red door now", "3": "boil tea"}


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    records = (
        {"task_id": name, "query": query, "memory_items": [ITEM.format(f"key {name}")], "status": "fail"}
        for name, query in QUERIES.items()
    )
    lines = [json.dumps(record) for record in records]
    (tmp_path / "theirs.jsonl").write_text("\n".join(lines) + "\n")
    return import_bank(tmp_path / "theirs.jsonl", tmp_path / "ours").bank


def recall(bank: Path, task_id: str, query: str, k: int = 1) -> tuple[str, ...]:
    memory = open_bank_memory(bank, HashingEmbedder(), k, "task")
    return asyncio.run(memory.recall(Task(task_id, query, "", "", "test"), State(""))).items


def test_the_nearest_record_is_shown_as_it_stands(bank: Path) -> None:
    assert recall(bank, "new", "open the red door") == (ITEM.format("key 1"),)
    assert recall(bank, "new", "boil tea", 2)[0] == ITEM.format("key 3")
    assert len(recall(bank, "new", "open the red door", 2)) == 2


def test_a_task_never_sees_its_own_record(bank: Path) -> None:
    assert recall(bank, "1", "open the red door") == (ITEM.format("key 2"),)


def test_a_spec_takes_a_bank_as_an_arms_memory(bank: Path) -> None:
    arms = ["none", {"name": "theirs", "memory": str(bank)}]
    asked = {"environment": {"world": "workshop"}, "backbone": "simulated/reader", "arms": arms}
    assert Spec.model_validate(asked).arms
    with pytest.raises(ValueError, match=r"a bank \(\.jsonl\), or one of"):
        Spec.model_validate(asked | {"arms": ["none", {"name": "theirs", "memory": "bank.csv"}]})
