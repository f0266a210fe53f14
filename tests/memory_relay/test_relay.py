"""The relay between a client and a server of notes: what each is shown in each condition."""

import json
from pathlib import Path

import pytest

from memtrial.memory_relay.relay_trial import deal_out, read_log
from memtrial.memory_relay.server_listing import ListedServer
from tests.support.memory_servers import NOTES, listed_notes, relay

DAMAGED = ("Light the fire first.", 'Close the "gate"\nat once.', "Count once.")
CONDITIONS = {"intact": NOTES, "damaged": DAMAGED, "without": ()}


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> ListedServer:
    return listed_notes(tmp_path_factory.mktemp("server"))


def test_the_items_are_known_before_anything_is_spent(listed: ListedServer) -> None:
    assert listed.items == NOTES
    assert list(listed.prints) == ["search_notes", "list_notes", "add_note"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_reading_gives_is_the_memory_of_the_condition(
    listed: ListedServer, condition: str, tmp_path: Path
) -> None:
    shown = CONDITIONS[condition]
    with relay(listed, tmp_path / "given", shown) as played:
        played.client.begin()
        found = played.client.call("search_notes", query="gate kettle")
        everything = played.client.call("list_notes")
    if not shown:
        assert (found, everything) == ("No notes.", "No notes.")
        assert (played.report.given, played.report.called) == ((), 2)
        return
    assert found == f"1. {shown[0]}\n2. {shown[1]}"
    assert json.loads(everything) == list(shown), "in a list of JSON it is written as JSON"
    assert played.report.given == tuple(shown)
    assert 0 < played.report.unknown_share < 0.02, "the numbers of the list"


def test_tools_are_the_same_in_every_condition_and_passing_changes_no_byte(
    listed: ListedServer, tmp_path: Path
) -> None:
    lists = []
    for condition, shown in CONDITIONS.items():
        with relay(listed, tmp_path / condition, shown) as played:
            begun = played.client.begin()
            lists.append(played.client.ask("tools/list"))
            pinged = played.client.ask("ping")
            refused = played.client.ask("resources/list")
        assert begun["result"]["serverInfo"]["name"] == "notes"
        assert pinged["result"] == {}
        assert refused["error"] == {"code": -32601, "message": "not supported"}
    assert lists[0] == lists[1] == lists[2]
    tools = {tool["name"]: tool for tool in lists[0]["result"]["tools"]}
    assert tools["search_notes"]["description"] == "Find notes of earlier work. Call it before you begin."
    assert not [tool for tool in tools.values() if "outputSchema" in tool], "what is shown is its text"


def test_writing_is_answered_and_nothing_is_written(listed: ListedServer, tmp_path: Path) -> None:
    own = listed.server.state
    assert own is not None
    before = own.read_bytes()
    with relay(listed, tmp_path / "given", NOTES) as played:
        played.client.begin()
        assert played.client.call("add_note", text="A gate of my own.") == "Saved."
        assert "my own" not in played.client.call("search_notes", query="gate")
    assert played.report.wrote == 1
    assert (own.read_bytes(), (tmp_path / "given/state").read_bytes()) == (before, before)


def test_text_that_nobody_knew_passes_and_is_counted_and_named(listed: ListedServer, tmp_path: Path) -> None:
    with relay(listed, tmp_path / "given", DAMAGED) as played:
        stranger = "A note that came later, on the same gate."
        (tmp_path / "given/state").write_text(json.dumps([NOTES[1], stranger]))
        played.client.begin()
        found = played.client.call("search_notes", query="gate")
    assert stranger in found
    assert NOTES[1] not in found
    assert stranger in played.report.stranger
    assert 0.4 < played.report.unknown_share < 0.6


def test_a_tool_that_passes_may_not_hand_out_memory_that_was_taken_away(tmp_path: Path) -> None:
    listed = listed_notes(tmp_path / "server", reads=["list_notes"], passes=["search_notes"])
    for condition, shown in (("damaged", DAMAGED), ("without", ())):
        with relay(listed, tmp_path / condition, shown) as played:
            played.client.begin()
            found = played.client.call("search_notes", query="kettle")
        assert NOTES[0] not in found
        assert played.report.called == 0, "it is none that reads"


def test_a_tool_that_nobody_listed_is_refused(listed: ListedServer, tmp_path: Path) -> None:
    with relay(listed, tmp_path / "given", NOTES) as played:
        played.client.begin()
        answer = played.client.ask("tools/call", name="dump_notes", arguments={})
    assert answer["error"]["message"] == "there is no such tool"


def test_more_and_fewer_texts_than_items_are_dealt_out_in_their_order() -> None:
    assert deal_out((), 3) == ("", "", "")
    assert deal_out(("a",), 3) == ("a", "a", "a")
    assert deal_out(("a", "b"), 3) == ("a", "a", "b")
    assert deal_out(("a", "b", "c"), 3) == ("a", "b", "c")
    assert deal_out(("a", "b", "c", "d", "e"), 2) == ("a\n\nb", "c\n\nd\n\ne")


def test_a_log_that_an_agent_wrote_to_is_read_as_far_as_it_makes_sense() -> None:
    entry = b'{"reads": true, "items": ["x", 9, true, 0], "known": "many", "unknown": 3}'
    odd = b"[1]\n" + entry + b'\nrubbish\n{"counts": [1]}\n'
    report = read_log(odd, ("shown",))
    assert (report.called, report.given, report.known, report.unknown) == (1, ("shown",), 0, 3)
