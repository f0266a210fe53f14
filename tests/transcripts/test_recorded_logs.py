"""Logs that real clients wrote here: each count is the log's own, and no outcome is made up."""

import csv
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memtrial.agents.traces import trace_to_json
from memtrial.api.check_notes import check_notes
from memtrial.api.condense import CondenseOptions, condense
from memtrial.api.failures import failures
from memtrial.api.foreign_logs.import_traces import ImportedTraces, ImportOptions, import_traces
from memtrial.api.gates import to_label
from memtrial.api.perturb import perturb
from memtrial.faults import SpecFault
from memtrial.gates.suite import gate_names

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


def test_what_a_client_links_to_is_not_read_twice(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "claude_code", tmp_path / "logs")
    sub = tmp_path / "logs" / "session" / "subagents" / "agent-1.jsonl"
    (tmp_path / "logs" / "tasks.output").symlink_to(sub)
    assert len(import_traces([tmp_path / "logs"]).logs) == 2
    shutil.copy(sub, tmp_path / "logs" / "copy.jsonl")
    (trace,) = import_traces([tmp_path / "logs"]).waiting
    assert len(trace.steps) == 6


def test_runs_of_langsmith_in_each_form_are_the_same(tmp_path: Path) -> None:
    runs = lines_of("langsmith.jsonl")
    heads = list(dict.fromkeys(name for run in runs for name in run))
    with (tmp_path / "a.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(heads)
        cells = ((run.get(head) for head in heads) for run in runs)
        table.writerows([json.dumps(c) if isinstance(c, dict | list) else c for c in row] for row in cells)
    (tmp_path / "b.json").write_text(json.dumps({"runs": runs, "cursors": {}}))
    bare = [{name: value for name, value in run.items() if name != "trace_id"} for run in runs]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(run) + "\n" for run in bare))
    wanted = bring("langsmith.jsonl").waiting
    for name in ("a.csv", "b.json", "c.jsonl"):
        brought = import_traces([tmp_path / name])
        assert brought.waiting == wanted, name
        assert brought.logs[0].records == len(runs)


def test_a_long_chain_and_a_circle_of_runs_have_one_root_each(tmp_path: Path) -> None:
    def run(name: str, above: str) -> dict[str, object]:
        inputs = {"input": "Go."}
        return {
            "id": name,
            "parent_run_id": above,
            "run_type": "llm",
            "inputs": inputs,
            "outputs": {"output": name},
        }

    chain = [run(str(n), str(n - 1)) for n in range(500)]
    circle = [run("a", "b"), run("b", "a"), run("c", "c")]
    log = tmp_path / "a.jsonl"
    log.write_text("".join(json.dumps(entry) + "\n" for entry in [*chain[::-1], *circle]))
    assert [len(trace.steps) for trace in import_traces([log]).waiting] == [500, 2, 1]


@pytest.mark.parametrize("name", NONE_STATED)
def test_condense_perturb_and_gates_work_on_each_recorded_log(name: str, tmp_path: Path) -> None:
    options = ImportOptions(judge="simulated/grader", judgements=tmp_path / "kept.jsonl")
    traces = import_traces([SAMPLES / name], options).traces
    condensed = condense(traces, CondenseOptions(model="simulated/scribe"))
    items = [item for row in condensed.made for item in row.items]
    assert items
    (tmp_path / "items.jsonl").write_text("\n".join(condensed.json_lines()) + "\n")
    (tmp_path / "traces.jsonl").write_text(
        "".join(json.dumps(trace_to_json(trace)) + "\n" for trace in traces)
    )
    damaged = perturb(tmp_path / "items.jsonl", "without")
    assert [slot.after for slot in damaged.slots] == [""] * sum(bool(row.items) for row in condensed.made)
    labels = to_label(tmp_path / "items.jsonl", tmp_path / "traces.jsonl", "seed")
    assert len(labels) == len(items) * len(gate_names("seed"))


def test_traces_in_the_place_of_items_or_of_a_run_say_what_to_do(tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.write_text('{"trace_id": "a", "task_id": "a", "query": "q", "outcome": "success", "steps": []}\n')
    log = SAMPLES / "codex" / "rollout.jsonl"
    calls: tuple[Callable[[Path], object], ...] = (
        lambda path: perturb(path, "shuffle"), check_notes, failures,
    )  # fmt: skip
    for call in calls:
        with pytest.raises(SpecFault, match=r"memtrial condense .* --out items\.jsonl makes items of it"):
            call(traces)
        with pytest.raises(SpecFault, match=r"a session file of Codex: memtrial import traces"):
            call(log)
