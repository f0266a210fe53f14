"""Every record of an agent that people run: how it starts, what it refuses, what it reads of a trace."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.coding_agents.agent_record import (
    LONGEST_ARGUMENT,
    AgentStart,
    Connection,
    ToolServer,
    refuse_start,
)
from memtrial.coding_agents.opencode import TASK_FILE
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS, find_agent
from memtrial.faults import SpecFault
from tests.house.test_house import PACKAGE

TRACES = Path(__file__).parent / "traces"
HOME = Path("/trial/home")
START = AgentStart('Say "hi" to $USER', HOME, "model-x", Connection("http://127.0.0.1:9", "a-token"))
each = pytest.mark.parametrize("record", SHIPPED_AGENTS, ids=lambda record: record.name)
ODD = (
    "",
    "{",
    "no",
    "[" * 100_000,
    '{"type":"result","usage":{"input_tokens":true}}',
    '{"messages":7,"info":[]}',
    '{"type":"turn.completed","usage":7}',
    '{"type":"step_finish","part":{"tokens":[],"cost":"1"}}',
)


def trace_of(record):
    return json.loads((TRACES / f"{record.name}.json").read_text(encoding="utf-8"))


@each
def test_a_record_is_one_file_of_at_most_80_lines(record):
    files = (PACKAGE / "coding_agents").glob("*.py")
    (file,) = [path for path in files if f'name="{record.name}"' in path.read_text()]
    assert len(file.read_text().splitlines()) <= 80


@each
def test_it_is_started_with_its_task_whole_and_nothing_of_the_users(record):
    launch = record.launch(START)
    assert record.program in " ".join(launch.arguments).split()
    assert START.task in (*launch.arguments, *launch.files.values())
    everything = json.dumps([launch.arguments, dict(launch.variables), dict(launch.files)])
    for needed in ("a-token", "http://127.0.0.1:9", "model-x"):
        assert needed in everything
    assert f"{Path.home()}/" not in everything


@each
def test_its_configuration_can_be_read(record):
    for path, text in record.launch(replace(START, model='odd "name" \\ x')).files.items():
        if path != TASK_FILE:
            assert (json.loads if path.endswith("json") else tomllib.loads)(text)


@each
def test_a_server_of_tools_stands_in_its_configuration_alone(record):
    server = ToolServer("notes", ("/usr/bin/python", "-c", 'say "it"', "/a b/plan.json"))
    files = record.launch(replace(START, server=server)).files
    configured = [
        part
        for path, text in files.items()
        if path != TASK_FILE
        for part in (json.loads if path.endswith("json") else tomllib.loads)(text).items()
    ]
    named = dict(configured)
    there = named.get("mcpServers") or named.get("mcp_servers") or named.get("mcp")
    if "mcp" not in record.carriers:
        assert there is None
        return
    (entry,) = there.values()
    words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert (list(there), tuple(words)) == (["notes"], server.words)
    if record.name == "codex":
        assert entry["required"] is True, "else its model is asked before a slow server has named its tools"


@each
def test_it_pins_the_version_that_it_installs_and_that_its_trace_is_of(record):
    assert record.install.endswith(record.pinned)
    assert (trace_of(record)["version"], trace_of(record)["recorded"]) == (record.pinned, record.seen)


@each
def test_what_it_cannot_carry_is_refused_and_so_is_a_task_too_long_for_an_argument(record):
    for carrier in ("prompt", "file", "marker", "mcp"):
        if carrier in record.carriers:
            refuse_start(record, carrier, "Go.")
        else:
            with pytest.raises(SpecFault, match=f"{record.name} carries memory by prompt"):
                refuse_start(record, carrier, "Go.")
    with pytest.raises(SpecFault, match="put the memory into a file"):
        refuse_start(record, "prompt", "é" * (LONGEST_ARGUMENT // 2 + 1))
    assert ("file" in record.carriers) == bool(record.places)


@each
def test_it_reads_what_a_trace_says_of_usage(record):
    trace = trace_of(record)
    printed = "\n".join(map(json.dumps, trace["printed"]))
    output = json.dumps(trace["trajectory"]) if trace["trajectory"] else f"a warning\n{printed}\n"
    usage = record.read_usage(output)
    # the scripted server counts a token for four characters of a text: "Next step." and "The work is done."
    assert usage.output_tokens == (4 if record.name == "mini-swe-agent" else 6)
    assert usage.input_tokens is not None
    assert 500 < usage.input_tokens < 50_000
    assert (usage.cost_usd is not None) == (record.name == "claude")


@each
@pytest.mark.parametrize("output", ODD)
def test_odd_output_states_no_usage(record, output):
    usage = record.read_usage(output)
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (None, None, None)


def test_a_name_without_a_record_is_refused():
    assert find_agent("codex").program == "codex"
    with pytest.raises(SpecFault, match="claude, codex, opencode, mini-swe-agent; got aider"):
        find_agent("aider")
