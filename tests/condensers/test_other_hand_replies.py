"""64 replies written by another hand, from the documents alone, before the readers were seen."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from memtrial.condensers.baselines import with_reply
from memtrial.condensers.condenser import Condensation
from memtrial.condensers.draft_replies import read_theory
from memtrial.memory.item import Item, ProseItem
from memtrial.models.client.types import Reply

LINES = (Path(__file__).parent / "other_hand.jsonl").read_text(encoding="utf-8").splitlines()
MISSED = {
    "t32": "two versions of one Claim under A and B: the second one is read",
    "n28": "the last word is cut off, and nothing but the model's own stop says so",
}


def cases() -> list[Any]:
    rows = map(json.loads, LINES)
    marks = {name: pytest.mark.xfail(reason=why, strict=True) for name, why in MISSED.items()}
    return [pytest.param(row, id=row["id"], marks=marks.get(row["id"], ())) for row in rows]


def read(row: dict[str, Any]) -> tuple[Item, ...]:
    if row["schema"] == "theory":
        return read_theory(Reply(row["reply"], 1, 1, "m")).items
    items = with_reply(Condensation("t", "native", ()), row["reply"]).items
    return tuple(item for item in items if not isinstance(item, ProseItem))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("row", cases())
def test_a_reply_is_read_as_a_person_reads_it(row: dict[str, Any]) -> None:
    items = [asdict(item) for item in read(row)]
    # an item of the other schema is none for this condenser's tables; it is shown all the same
    own = [item for item in items if ("claim" in item) == (row["schema"] == "theory")]
    assert len(own) == len(row["items"])
    for item, wanted in zip(own, row["items"], strict=True):
        assert {name: words(item[name]) for name in wanted} == {
            name: words(text) for name, text in wanted.items()
        }
