"""Below the system prompt stands what upstream's agent has there, byte for byte, whatever a model replied."""

import asyncio
from pathlib import Path

import pytest

from memtrial.agents.react import SYSTEM
from memtrial.agents.slot import Slot
from memtrial.memory.bank_store import BankStore
from memtrial.memory.item import ProseItem
from memtrial.memory.record_bank import Bank, Record
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.prompts.control_prompts import ReplyLayout
from memtrial.runs.preparation.arm_slots import Memories, fill_slots
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import Task
from tests.support.upstream_slots import HEADER, REPLIES, TWO, upstream_suffix

LAYOUTS: tuple[ReplyLayout, ...] = ("webarena", "swe", "harness")
CUE: dict[ReplyLayout, str] = {"webarena": HEADER, "swe": f"{HEADER}\n", "harness": HEADER}
WORDS = ("soap", "tea", "paint", "water", "kettle", "fence", "book", "lamp")


def slots_of(layout: ReplyLayout, replies: tuple[str, ...], k: int = 1, unit: str = "record") -> list[Slot]:
    """The slot of a task for each reply, and with `k` of 2 or more for each with those after it."""
    # the query of a task is that of its own record, and of no other one
    queries = [f"{WORDS[n % 8]} {WORDS[n // 8]} number{n}" for n in range(len(replies))]
    records = tuple(
        Record(
            f"s{n}", query, f"f{n}", "", (ProseItem(reply),) if reply.strip() else (), "", "success", reply
        )
        for n, (query, reply) in enumerate(zip(queries, replies, strict=True))
    )
    tasks = tuple(Task(f"t{n}", query, "", "", "test") for n, query in enumerate(queries))
    asked = {"environment": {"world": "workshop"}, "backbone": "simulated/reader", "arms": ["control"]}
    spec = Spec.model_validate(asked | {"retrieval": {"k": k, "unit": unit}})
    memories = Memories({"native": BankStore(HashingEmbedder(), Bank("native", records, layout), "task")})
    filled = asyncio.run(fill_slots(spec, tasks, memories, cue=CUE[layout]))
    assert not any(text.isspace() or not text for texts in filled.texts["native"].values() for text in texts)
    return [filled.shown["native", task.id].slot for task in tasks]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_agent_reads_the_bytes_that_upstreams_reads(layout: ReplyLayout, tmp_path: Path) -> None:
    bare = SYSTEM.render({"rules": "Some rules.", "memory": ""})
    for reply, slot in zip(REPLIES, slots_of(layout, REPLIES), strict=True):
        prompt = SYSTEM.render({"rules": "Some rules.", "memory": slot.text})
        assert prompt == bare + upstream_suffix(layout, (reply,), tmp_path), repr(reply)
        assert slot.blank == (not reply.strip()), repr(reply)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("pair", [(TWO, ""), ("", TWO), (" \r\n", f" {TWO}\r\n"), ("", " "), ("", "")])
def test_several_records_are_joined_as_upstream_joins_them(layout, pair, tmp_path: Path) -> None:
    (first, _) = slots_of(layout, pair, 2)
    prompt = SYSTEM.render({"rules": "Some rules.", "memory": first.text})
    bare = SYSTEM.render({"rules": "Some rules.", "memory": ""})
    assert prompt == bare + upstream_suffix(layout, pair, tmp_path)
    assert first.blank == (not "".join(pair).strip())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_blank_reply_is_shown_so_where_items_are_searched_one_by_one(layout: ReplyLayout) -> None:
    whole, by_item = (slots_of(layout, ("", " \n", TWO), 1, unit) for unit in ("record", "item"))
    assert [one.text for one in by_item[:2]] == [one.text for one in whole[:2]]
    assert by_item[2].items == whole[2].items[:1]
