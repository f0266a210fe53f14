"""Logs that real clients wrote here: each count is the log's own, and no outcome is made up."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from memtrial.api.foreign_logs.import_traces import ImportedTraces, ImportOptions, import_traces
from memtrial.faults import SpecFault

SAMPLES = Path(__file__).resolve().parent / "samples"
NONE_STATED = ("claude_code/session.jsonl", "codex", "mini", "langsmith.jsonl")


def bring(name: str, **options: object) -> ImportedTraces:
    return import_traces([SAMPLES / name], ImportOptions(**options))  # type: ignore[arg-type]


def lines_of(name: str) -> list[Mapping[str, object]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text().splitlines()]


def test_a_session_of_claude_code_and_its_sub_agent_are_one_trajectory() -> None:
    brought = bring("claude_code/session.jsonl")
    main, part = (
        lines_of("claude_code/session.jsonl"),
        lines_of("claude_code/session/subagents/agent-1.jsonl"),
    )
    assert [log.records for log in brought.logs] == [len(main), len(part)]
    (trace,) = brought.waiting
    spoken = [line["message"] for line in [*main, *part] if line["type"] == "assistant"]
    assert len(trace.steps) == len({message["id"] for message in spoken}) == 6  # type: ignore[index]
    assert brought.joined == 1
    assert trace.query == "Write answer.txt as it should be."
    actions = [step.action for step in trace.steps]
    assert actions[0] == "ls -la"
    assert actions[1].startswith("Agent({")
    assert actions[2] == "echo first\necho second; exit 3"
    assert trace.steps[2].observation == "first\nExit code 3\nsecond"
    assert (actions[3], trace.steps[3].observation) == ("echo sub-result", "sub-result")
    assert actions[-1] == "The work is done: answer.txt holds it."
    assert "system-reminder" not in json.dumps([step.observation for step in trace.steps])


def test_a_sub_agent_alone_is_a_run_that_says_so() -> None:
    brought = bring("claude_code/session/subagents/agent-1.jsonl")
    assert [len(trace.steps) for trace in brought.waiting] == [2]
    assert any("session is not there" in why for why in brought.left_out)


def test_what_codex_puts_in_is_no_task() -> None:
    (trace,) = bring("codex").waiting
    assert trace.query == "Write answer.txt as it should be."
    assert [step.action for step in trace.steps] == [
        "ls -la", "echo right > answer.txt", "The work is done: answer.txt holds it.",
    ]  # fmt: skip
    assert trace.steps[1].thought == "I write it."
    assert "Process exited with code 0" in trace.steps[1].observation


def test_mini_swe_agent_says_that_it_submitted_and_no_more() -> None:
    brought = bring("mini")
    (trace,) = brought.waiting
    assert trace.trace_id == "task-1"
    assert trace.query == "Write answer.txt as it should be."
    assert [step.thought for step in trace.steps] == ["I look around first.", "I write it.", "I end."]
    assert "Submitted" in brought.advice()


def test_nested_runs_of_langsmith_are_one_trajectory() -> None:
    brought = bring("langsmith.jsonl")
    runs = lines_of("langsmith.jsonl")
    assert [log.records for log in brought.logs] == [len(runs)]
    assert {trace.trace_id for trace in brought.waiting} == {run["trace_id"] for run in runs}
    assert [trace.query for trace in brought.waiting] == ["What is 1+1?", "What is 2+2?"]
    for trace in brought.waiting:
        assert [(step.thought, step.action, step.observation) for step in trace.steps] == [
            ("I add.", 'add({"x": 1, "y": 1})', "2"), ("", "2", ""),
        ]  # fmt: skip
    assert "status (success" in brought.advice()
    with pytest.raises(SpecFault, match="whether anything was raised"):
        bring("langsmith.jsonl", outcome_field="status")


@pytest.mark.parametrize("name", NONE_STATED)
def test_no_outcome_is_made_of_what_only_looks_like_it(name: str) -> None:
    brought = bring(name)
    assert not brought.traces
    assert "--outcomes" in brought.advice()


def test_another_format_than_the_file_is_named() -> None:
    with pytest.raises(SpecFault, match="looks like a session file of Codex, and not of --format inspect"):
        bring("codex", format="inspect")
