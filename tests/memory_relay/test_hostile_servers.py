"""Servers that break the rules: one line, nothing running, nothing kept in memory, nothing changed."""

import json
import os
import re
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtrial.faults import SpecFault
from memtrial.memory_relay.bounded_lines import BoundedLines, RelayFault
from memtrial.memory_relay.server_listing import ListedServer, ask_server
from tests.support.left_processes import left, odd_seconds
from tests.support.memory_servers import NOTES, describe, listed_notes, open_described, relay

BEFORE = {
    "silent": "did not answer in time",
    "closes": "ended with code 3: no database",
    "floods": "sent a message of more than 4 MiB",
    "nested": "sent a message that is nested more than 100 deep",
    "huge": "sent a message of more than 4 MiB",
}
"""By what a server does: the one line that a user gets before anything is spent."""
ON_THE_WAY = {
    "stalls": "did not answer tools/call within 3 s",
    "dies": "ended with code 3: no database",
    "floods": "sent a message of more than 4 MiB",
    "deep": "sent a message that is nested more than 100 deep",
}
"""By what a server does once a tool is called: why the trial is an error."""
HARMLESS = ("prints", "strange", "asks")
LARGEST_KIB = 120_000
"""Of memory that a relay takes, Python's own included."""


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> ListedServer:
    return listed_notes(tmp_path_factory.mktemp("server"))


def turned(listed: ListedServer, folder: Path, conduct: str, **more: Any) -> ListedServer:
    """The same server, which behaves otherwise once the trials begin."""
    return replace(listed, server=open_described(describe(folder, conduct, **more)))


@pytest.mark.parametrize("conduct", BEFORE)
def test_a_server_that_cannot_be_asked_is_one_line(conduct: str, tmp_path: Path) -> None:
    word = odd_seconds()
    path = describe(tmp_path, conduct, timeout_s=1.0 if conduct == "silent" else 20.0)
    file = json.loads(path.read_text())
    file["mcpServers"]["notes"]["args"].append(word)
    path.write_text(json.dumps(file))
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    with pytest.raises(SpecFault) as caught:
        ask_server(open_described(path))
    assert str(caught.value) == f"mcp: memory server notes: {BEFORE[conduct]}"
    assert not left(word)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_what_a_server_forks_is_ended_with_it(tmp_path: Path) -> None:
    word = odd_seconds()
    path = describe(tmp_path, "forks")
    file = json.loads(path.read_text())
    file["mcpServers"]["notes"]["args"].append(word)
    path.write_text(json.dumps(file))
    assert ask_server(open_described(path)).items == NOTES
    assert not left(word)


@pytest.mark.parametrize("conduct", ON_THE_WAY)
def test_a_server_that_breaks_in_a_trial_is_a_fault_and_its_client_gets_an_answer(
    listed: ListedServer, conduct: str, tmp_path: Path
) -> None:
    broken = turned(listed, tmp_path / "server", conduct, timeout_s=3.0 if conduct == "stalls" else 20.0)
    with relay(broken, tmp_path / "given", NOTES) as played:
        played.client.begin()
        first = played.client.ask("tools/call", name="search_notes", arguments={"query": "gate"})
        second = played.client.ask("tools/list")
        status = Path(f"/proc/{played.client.process.pid}/status").read_text()
    for answer in (first, second):
        assert answer["error"]["message"] == "the memory server is not there"
    assert played.report.fault == ON_THE_WAY[conduct]
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak is not None
    assert int(peak[1]) < LARGEST_KIB
    assert not left(str(tmp_path / "given"))


@pytest.mark.parametrize("conduct", HARMLESS)
def test_rubbish_strange_answers_and_requests_of_the_server_reach_no_client(
    listed: ListedServer, conduct: str, tmp_path: Path
) -> None:
    with relay(turned(listed, tmp_path / "server", conduct), tmp_path / "given", NOTES) as played:
        played.client.begin()
        played.client.ask("tools/list")
        found = played.client.call("search_notes", query="gate")
    assert found == f"1. {NOTES[1]}"
    assert not played.report.fault
    assert played.report.counts, "they are counted"
    if conduct == "asks":
        asked = {name.rpartition(" ")[2] for name in played.report.counts}
        assert asked == {"sampling/createMessage", "elicitation/create"}


def test_tools_that_change_after_the_first_look_are_a_fault(listed: ListedServer, tmp_path: Path) -> None:
    with relay(turned(listed, tmp_path / "server", "changes"), tmp_path / "given", NOTES) as played:
        played.client.begin()
        assert "result" in played.client.ask("tools/list")
        assert played.client.ask("tools/list")["error"]["message"] == "the memory server is not there"
    assert played.report.fault == "changed its tools: 'search_notes' is another than before the first trial"


def test_control_characters_of_a_description_reach_no_line_of_ours(tmp_path: Path) -> None:
    listed = listed_notes(tmp_path, "controls")
    assert all(line.isprintable() for line in listed.says)
    with relay(listed, tmp_path / "given", NOTES) as played:
        played.client.begin()
        tools = played.client.ask("tools/list")["result"]["tools"]
    assert tools[0]["description"] == "Find\x1b[31m notes\x07\u202e\x00.", "equal in every condition"


def test_a_server_that_is_not_there_is_one_line(listed: ListedServer, tmp_path: Path) -> None:
    path = describe(tmp_path / "server", command="no-such-server")
    with pytest.raises(
        SpecFault, match=r"^mcp: memory server notes: cannot be started: no-such-server: No such file"
    ):
        ask_server(open_described(path))
    with relay(replace(listed, server=open_described(path)), tmp_path / "given", NOTES) as played:
        assert "error" in played.client.begin()
    assert played.report.fault.startswith("cannot be started: no-such-server")


def test_all_that_a_server_says_is_bounded() -> None:
    reading, writing = os.pipe()

    def talk() -> None:
        with suppress(BrokenPipeError):
            while True:
                os.write(writing, b"x" * 65_535 + b"\n")

    talking = threading.Thread(target=talk)
    talking.start()
    with pytest.raises(RelayFault, match="sent more than 64 MiB"):
        assert sum(map(len, BoundedLines(reading))) < 0
    os.close(reading)
    talking.join(10)
    os.close(writing)
    assert not talking.is_alive()
