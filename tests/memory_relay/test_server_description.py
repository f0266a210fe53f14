"""A file that describes a memory server, and the items in what its list gives."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtrial.faults import SpecFault
from memtrial.memory_relay.listed_items import list_items
from memtrial.memory_relay.server_description import read_description, read_server
from memtrial.memory_relay.server_listing import refuse_tools
from memtrial.memory_relay.server_state import copy_state
from tests.support.memory_servers import describe, open_described

FAULTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"reads": []}, "mcpServers.notes.reads: "),
    ({"reeds": ["x"]}, "mcpServers.notes.reeds: no such field"),
    ({"type": "http"}, "a server that is started by a command is relayed, type stdio; got 'http'"),
    ({"reads": ["list notes"]}, "a tool is named by letters, digits, -, _, . and /; got 'list notes'"),
    (
        {"writes": ["search_notes"]},
        "each tool is one of reads, writes and passes; search_notes is named twice",
    ),
    ({"list": {"tool": "add_note"}}, "list names a tool that reads; add_note is in writes"),
    ({"state": "other.json"}, "state is a path as args or env name it, .*; 'other.json' is in neither"),
    ({"timeout_s": 0}, "mcpServers.notes.timeout_s: .*; got 0"),
    ({"command": ""}, "mcpServers.notes.command: "),
)


@pytest.mark.parametrize(("more", "why"), FAULTS, ids=[why[:30] for _, why in FAULTS])
def test_what_does_not_fit_is_one_line(more: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=rf"^mcp: server\.json: {why}") as caught:
        read_server(describe(tmp_path, **more), {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[" * 100_000, b"\xff", b"[]", b'{"mcpServers": {}}', b"x" * 2_000_000]
)
def test_what_is_no_description_is_one_line(raw: bytes) -> None:
    with pytest.raises(SpecFault, match=r"^mcp: server\.json") as caught:
        read_description(raw, Path("server.json"), {})
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=r"is described by a file of JSON, as \.mcp\.json; .* is not there"):
        read_server(tmp_path / "server.json", {})


def test_variables_of_the_users_are_filled_in_and_no_other_reaches_the_server(tmp_path: Path) -> None:
    path = describe(tmp_path, env={"TOKEN": "${NOTES_TOKEN}", "KIND": "${KIND:-plain}", "DB": "notes.json"})
    start = read_server(path, {"NOTES_TOKEN": "a-token"}).start(
        tmp_path, tmp_path / "home", tmp_path / "copy"
    )
    assert (start.variables["TOKEN"], start.variables["KIND"]) == ("a-token", "plain")
    assert start.variables["DB"] == str(tmp_path / "copy"), "the copy stands wherever the state is named"
    assert str(tmp_path / "copy") in start.words
    assert set(start.variables) <= {
        "PATH",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "HOME",
        "TMPDIR",
        "TOKEN",
        "KIND",
        "DB",
    }
    with pytest.raises(SpecFault, match=r"^mcp: \$\{NOTES_TOKEN\} is named for server notes, and is not set"):
        read_server(path, {}).start(tmp_path, tmp_path, None)


def test_every_tool_has_to_be_spoken_for(tmp_path: Path) -> None:
    server = open_described(describe(tmp_path))
    known = dict.fromkeys(server.entry.declared, "")
    refuse_tools(server, known)
    with pytest.raises(SpecFault, match=r"say of each tool of notes .*; of dump\\x1b is not said|of dump"):
        refuse_tools(server, {**known, "dump\x1b": ""})
    with pytest.raises(
        SpecFault, match="memory server notes has no tool list_notes; it has search_notes, add_note"
    ):
        refuse_tools(server, {name: "" for name in known if name != "list_notes"})


@pytest.mark.parametrize(
    ("texts", "field", "items"),
    [
        (["a note", "another note"], "", ("a note", "another note")),
        (["a note\nof two lines\n\nanother"], "", ("a note\nof two lines", "another")),
        (["- a note\n- another\n\n- a third"], "", ("a note", "another", "a third")),
        (['["a note", "another"]'], "", ("a note", "another")),
        (['{"result": ["a note", ["another"]]}'], "", ("a note", "another")),
        (['{"notes": [{"id": 1, "text": "a note"}, {"text": "another"}]}'], "text", ("a note", "another")),
        (['{"text": "a note"}', '{"text": "a note"}'], "text", ("a note",)),
        (["[not JSON"], "", ("[not JSON",)),
    ],
)
def test_items_of_a_list(texts: list[str], field: str, items: tuple[str, ...]) -> None:
    assert list_items(texts, field) == items


@pytest.mark.parametrize(
    ("texts", "field", "why"),
    [
        ([], "", "holds no item; name the call"),
        (["- \n- "], "", "holds no item"),
        (['[{"id": 1, "body": "x"}]'], "", "the list gives objects with body, id; text names the field"),
        (['[{"id": 1, "body": "x"}]'], "text", "holds no item with a field 'text'"),
        (["a note"], "text", "text names the field 'text', and the list gives no JSON"),
        (
            [json.dumps([f"note {number}" for number in range(2001)])],
            "",
            "at most 2,000 items; the server lists 2,001",
        ),
    ],
)
def test_a_list_without_items_is_one_line(texts: list[str], field: str, why: str) -> None:
    with pytest.raises(SpecFault, match=f"^mcp: .*{why}"):
        list_items(texts, field)


def test_of_a_state_plain_files_are_copied_and_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "state/deep").mkdir(parents=True)
    (tmp_path / "state/deep/notes.json").write_text("[]")
    (tmp_path / "state/link").symlink_to(tmp_path / "outside")
    copy_state(tmp_path / "state", tmp_path / "copy")
    assert [path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*")] == [
        "deep",
        "deep/notes.json",
    ]
    with pytest.raises(SpecFault, match=r"state is a file or a folder of at most 256 MiB; .* is not there"):
        copy_state(tmp_path / "none", tmp_path / "other")
