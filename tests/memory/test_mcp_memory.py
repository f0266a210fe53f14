"""A memory server (MCP) as an arm's memory: what it may not do, what is named, and what is put back."""

import asyncio
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memtrial.faults import RunFault, SpecFault
from memtrial.memory.stored_item import StoredItem
from memtrial.memory.systems.mcp_calls import fill_arguments, rank_items, read_list
from memtrial.memory_relay.server_description import ServerEntry
from memtrial.plugins.conformance.fixtures import PRESS, caller_for, tasks_asked
from memtrial.plugins.own_memory import OwnStore, load_memory
from memtrial.plugins.shipped_memory import asks_model, shipped_digests
from memtrial.runs.preparation.store_reading import read_damaged
from tests.support.memory_servers import CALLED, describe_sdk

# looked for, not loaded: each process that collects these tests would load it
pytestmark = pytest.mark.skipif(
    find_spec("mcp") is None, reason="the MCP SDK is not installed: it comes with the extra mcp"
)
NOTES = ("Open the brass gate first.", "Read the gauge, then pull the lever.", "Never wait at the gate.")


def opened(folder: Path, conduct: str = "", notes: Sequence[str] = NOTES, **more: Any) -> OwnStore:
    """A server that holds these notes already."""
    name = describe_sdk(folder, conduct, **more)
    held = [{"id": number, "text": text, "words": text} for number, text in enumerate(notes, 1)]
    (folder / "notes.json").write_text(json.dumps({"notes": held, "searched": 0}))
    memory = load_memory(name, caller_for(name), 0)
    assert isinstance(memory, OwnStore)
    return memory


def read(memory: OwnStore, k: int = 3) -> tuple[StoredItem, ...]:
    return asyncio.run(memory.read(*tasks_asked()[0], k))


def taught(folder: Path, conduct: str = "", notes: Sequence[str] = NOTES, **more: Any) -> OwnStore:
    """The same; its items have their numbers once it was written to, or would have been."""
    memory = opened(folder, conduct, notes, **{"add": None, **more})
    asyncio.run(memory.write(PRESS))
    return memory


def test_a_memory_that_somebody_has_is_taken_as_it_is_and_no_model_is_asked(tmp_path: Path) -> None:
    memory = taught(tmp_path, update=None)
    before = (tmp_path / "notes.json").read_bytes()
    assert [item.text for item in memory.list()] == list(NOTES)
    assert {item.text for item in read(memory)} == set(NOTES)
    assert not asks_model(memory.own.source)
    assert not memory.takes_damage
    # without a tool for it, a text stands in an item's place where it is shown
    memory.replace("2", "Wait for the lamp.")
    assert [item.text for item in memory.list()] == [NOTES[0], "Wait for the lamp.", NOTES[2]]
    assert (tmp_path / "notes.json").read_bytes() == before


def test_a_run_is_written_into_a_copy_of_the_state_by_the_servers_own_tool(tmp_path: Path) -> None:
    call = {"tool": "add_note", "arguments": {"text": "{trace}: {task}\n{run}"}}
    memory = opened(tmp_path, add=call)
    assert not asks_model(memory.own.source)
    before = (tmp_path / "notes.json").read_bytes()
    asyncio.run(memory.write(PRESS))
    text = memory.list()[-1].text
    assert text.startswith(f"{PRESS.trace_id}: {PRESS.query}\n**Query:**")
    assert f"<action>\n{PRESS.steps[0].action}\n</action>" in text
    assert f"Outcome: {PRESS.outcome}" in text
    assert (tmp_path / "notes.json").read_bytes() == before


def test_what_a_server_writes_while_it_is_read_is_dropped(tmp_path: Path) -> None:
    memory = taught(tmp_path, "counts")
    assert [len(read(memory)) for _ in range(2)] == [3, 3], "each search it keeps would leave out an item"


def test_what_it_keeps_in_its_process_is_dropped_with_it(tmp_path: Path) -> None:
    memory = taught(tmp_path, "remembers")
    assert [len(read(memory)) for _ in range(2)] == [3, 3]
    assert len(memory.list()) == 3


def test_what_cannot_be_put_back_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match="holds other items once it was read, and this cannot be put back"):
        read(taught(tmp_path, "remembers", state=None))


@pytest.mark.parametrize(
    ("conduct", "how"),
    [
        ("", ""),
        ("drops", "3 of 3 items dropped"),
        ("signs", "3 of 3 items rewritten"),
        ("anew", "2 of 3 items out of their order"),
    ],
)
def test_damage_by_the_tool_that_updates_is_what_the_server_makes_of_it(
    tmp_path: Path, conduct: str, how: str
) -> None:
    task, state = tasks_asked()[0]
    words = task.query.split()
    # the more of the task's words a note has, the better it fits
    notes = [" ".join(words[:count]) for count in (9, 6, 3)]
    memory = taught(tmp_path, conduct, notes=notes)
    assert memory.takes_damage
    before = memory.list(), read(memory)
    texts = ("lever 1", f"{words[0]} lever 2", f"{words[0]} {words[1]} {words[2]} lever 3")
    reading = asyncio.run(read_damaged(memory, task, state, texts))
    assert reading.how == how
    shown = {"drops": (), "signs": tuple(f"{text} (edited)" for text in texts), "anew": texts[::-1]}
    assert reading.items == shown.get(conduct, texts)
    assert (memory.list(), read(memory)) == before


def test_a_search_that_shortens_items_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match=r'that its list does not hold, ".{15,20}"; search and list'):
        read(taught(tmp_path, "shortens"))


def test_the_plan_says_server_version_description_and_what_it_begins_with(tmp_path: Path) -> None:
    name = opened(tmp_path).own.source
    (known, digest), prompt = [*shipped_digests(name).items()]
    assert known.startswith(f"memory system {name}, mcp ")
    assert known.endswith(", server sdk-notes 1.2")
    assert prompt[0] == "prompt note_of_run"
    (tmp_path / "notes.json").write_text('{"notes": [], "searched": 0}')
    assert shipped_digests(name)[known] != digest
    with pytest.raises(SpecFault, match="server notes has no tool forget; it has add_note, list"):
        shipped_digests(describe_sdk(tmp_path, list={"tool": "forget"}))


def test_a_server_that_does_not_start_is_one_line_with_its_own_last_words(tmp_path: Path) -> None:
    args = ["-c", "import sys; sys.exit('no database')"]
    with pytest.raises(SpecFault, match=r"notes cannot be started: .*: no database") as caught:
        shipped_digests(describe_sdk(tmp_path, args=args, state=None, add=None))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"search": None}, "search names the call that finds what fits a task"),
        ({"search": {"tool": "add_note"}}, "search names a tool of reads; 'add_note' is none of them"),
        ({"add": {"tool": "list_notes"}}, "add names a tool of writes; 'list_notes' is none of them"),
        ({"add": {"tool": "add_note", "arguments": {"text": "x"}}}, r"of add name \{run\} or \{note\}"),
        ({"state": None}, "add writes into memory: state names the file or folder"),
        ({"id": None}, r"update says which item by \{id\} in its arguments"),
    ],
)
def test_a_description_that_says_too_little_is_one_line(
    tmp_path: Path, more: dict[str, Any], why: str
) -> None:
    with pytest.raises(SpecFault, match=why) as caught:
        opened(tmp_path, **more)
    assert "\n" not in str(caught.value)


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    asked = {"text": "{run}", "k": "{k}", "list": ["a {task} b", 1], "other": "{strange} {run}"}
    filling = {"run": "{task}", "k": 3, "task": "t"}
    assert fill_arguments(asked, filling) == {
        "text": "{task}",
        "k": 3,
        "list": ["a t b", 1],
        "other": "{strange} {task}",
    }


def entry(**more: Any) -> ServerEntry:
    plain = {name: value for name, value in CALLED.items() if name not in ("text", "id", "update")}
    return ServerEntry.model_validate({"command": "x", **plain, **more})


def test_items_are_found_in_a_graph_and_in_a_text_with_numbers() -> None:
    graph = json.dumps(
        {
            "entities": [
                {"name": "t1", "observations": ["Pull.", "Fill it."]},
                {"name": "t2", "observations": ["Wait."]},
            ]
        }
    )
    of_graph = entry(text="observations", id="name")
    held = read_list([graph], of_graph)
    assert {name: item.text for name, item in held.items()} == {
        "t1/1": "Pull.",
        "t1/2": "Fill it.",
        "t2/1": "Wait.",
    }
    found_items = json.dumps({"entities": [{"name": "t2", "observations": ["Wait."]}], "relations": []})
    assert rank_items([found_items], held, of_graph) == ("t2/1",)
    plain = entry(nothing="No notes.")
    listed = read_list(["- Pull.\n- Fill it."], plain)
    assert rank_items(["Found 2:\n1. Fill it. (0.9)\n2. Pull. (0.2)"], listed, plain) == ("Fill it.", "Pull.")
    assert rank_items(["No notes."], listed, plain) == ()
    with pytest.raises(RunFault, match=r'does not hold, "Push it\."'):
        rank_items(["Push it."], listed, plain)
    assert read_list(["No notes."], plain) == {}


def test_two_items_of_one_name_are_named() -> None:
    twice = json.dumps([{"id": 1, "text": "a"}, {"id": 1, "text": "b"}])
    with pytest.raises(RunFault, match=r"two items of the memory server's list have one id"):
        read_list([twice], entry(text="text", id="id"))
