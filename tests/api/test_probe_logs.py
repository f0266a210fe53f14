"""Logs that are asked again: a memory that stands in them, files by hand, folders of the proxy."""

import json
from hashlib import sha256
from pathlib import Path

from memtrial.agents.slot import Slot
from memtrial.api.probe.log_decisions import LogDecisions
from memtrial.api.probe.log_source import read_items
from memtrial.api.probe.memory_place import APART, NOWHERE, StandingMemory, find_memory, pick_damaged
from memtrial.api.probe.recorded_decision import weave
from memtrial.models.client.types import Message
from memtrial.proxy.exchange import ExchangeIntent
from memtrial.proxy.exchange_folder import exchange_folder

NOTES = """# Notes of the workshop

## Lamps

When the lamp is red, press `the stud`.

## Doors

### Before

Never slam them.

### After

Do lock them.
"""


def test_a_memory_is_taken_for_what_stands_in_a_request_word_for_word(tmp_path: Path) -> None:
    items = ("Do `a` first.", "Do `b` then.")

    def find(text: str) -> object:
        return find_memory((Message("system", text), Message("user", "Go.")), items)

    assert find("Rules.\n\nDo `a` first.\n\nDo `b` then.") == StandingMemory(Slot("", items), ("\n\n",))
    assert find("Notes:\n- Do `a` first.\n- Do `b` then.") == StandingMemory(Slot("", items), ("\n- ",))
    assert find("Do `b` then. No more.") == StandingMemory(Slot("", items[1:]), ())
    assert find("Nothing.") == NOWHERE
    assert find("Do `a` first. But only then: Do `b` then.") == APART
    messages = [
        {"role": "system", "content": "Notes:\n- Do `a` first.\n- Do `b` then."},
        {"role": "user", "content": "Task: t"},
        {"role": "assistant", "content": "a"},
    ]
    chat = tmp_path / "chats.jsonl"
    chat.write_text(f"{json.dumps({'messages': messages})}\n" * 2, encoding="utf-8")
    read = LogDecisions(items, "m")
    (decision,) = read.of_paths([chat])
    assert read.left_out["requests that stand there a second time"] == 1
    assert [message.role for message in decision.messages] == ["system", "user"]
    assert decision.show(decision.leave_out(0))[0].text == "Notes:\n- Do `b` then."
    assert decision.show("")[0].text == "Notes:\n- "
    assert {told.action for told in decision.due} == {"a", "b"}


def test_a_file_by_hand_is_taken_apart_by_its_headings(tmp_path: Path) -> None:
    file = tmp_path / "CLAUDE.md"
    file.write_text(NOTES, encoding="utf-8")
    items, text = read_items(file)
    assert [item.partition("\n")[0] for item in items] == ["## Lamps", "### Before", "### After"]
    told = f"Contents of CLAUDE.md:\n\n{NOTES}\nEnd."
    found = find_memory((Message("user", told),), items, text)
    assert isinstance(found, StandingMemory)
    assert found.slot.items == items
    assert "## Doors" in found.gaps[0]
    assert weave(found.slot.items, found.gaps) in told
    # without the frame these are words between items
    assert find_memory((Message("user", told),), items) == APART


def test_requests_that_the_proxy_kept_are_asked_again_with_their_tools(tmp_path: Path) -> None:
    tool = {"name": "press", "description": "Press it.", "input_schema": {"type": "object"}}
    body = {
        "model": "claude-x",
        "max_tokens": 64,
        "system": [{"type": "text", "text": "You work."}],
        "tools": [tool],
        "messages": [{"role": "user", "content": [{"type": "text", "text": f"Read this.\n{NOTES}"}]}],
        "stream": True,
    }
    raw = json.dumps(body).encode()
    with exchange_folder(tmp_path / "kept") as store:
        for number, sent in ((1, raw), (2, b"no json")):
            digest = sha256(sent).hexdigest()
            intent = ExchangeIntent(number, "one", "POST", "/v1/messages", digest, len(sent), "", 0.0)
            store.begin(intent, sent)
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    items, text = read_items(tmp_path / "notes.md")
    read = LogDecisions(items, "anthropic/m", text)
    (decision,) = read.of_paths([tmp_path / "kept"])
    assert decision.task.startswith("task ")
    assert json.loads(decision.settings)["tools"] == [tool]
    assert "stream" not in decision.settings
    assert "records that hold no request as it was sent" in read.left_out
    shown = decision.show(decision.leave_out(0))[-1].text
    assert "press `the stud`" not in shown
    assert "Never slam them." in shown
    # nothing but the memory itself speaks of a red lamp
    assert "press" not in " ".join(action.action for action in decision.due)


def test_of_a_damaged_memory_the_items_that_came_up_are_taken() -> None:
    items = tuple(f"# Memory Item {n}\n## Content {word}" for n, word in enumerate("abc", 1))
    damaged = Slot("Notes.", tuple(item.replace("Content ", "Content not ") for item in items))
    assert pick_damaged(damaged.text, Slot("Notes.", items), (2, 0)) == (
        "Notes.\n\n# Memory Item 3\n## Content not c\n\n# Memory Item 1\n## Content not a"
    )
    # one that cannot be taken apart shows nothing
    assert pick_damaged("Notes.\n\nOther words.", Slot("Notes.", items), (1,)) == ""
