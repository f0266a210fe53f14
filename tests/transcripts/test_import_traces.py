"""`import traces` on the command line: what it says, what it writes, and what it refuses."""

import json
from pathlib import Path

import pytest

from memtrial.agents.traces import TraceFault, read_traces
from memtrial.api.condense import CondenseOptions, condense
from memtrial.api.foreign_logs.import_traces import ImportOptions, import_traces
from memtrial.cli.results.import_logs import LogChoice, import_logs
from memtrial.faults import SpecFault

SAMPLES = Path(__file__).resolve().parent / "samples"
CHOICE = LogChoice("auto", None, None, "", None, None)


def chat(name: str, task: str, query: str = "Add.") -> str:
    messages = [{"role": "user", "content": query}, {"role": "assistant", "content": "It is 2."}]
    return json.dumps({"id": name, "task_id": task, "messages": messages, "success": True}) + "\n"


def choose(**options: object) -> LogChoice:
    return LogChoice(**{**{name: getattr(CHOICE, name) for name in CHOICE.__slots__}, **options})  # type: ignore[arg-type]


def test_a_person_fills_in_what_no_log_states_and_condense_reads_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels, out = tmp_path / "labels.csv", tmp_path / "traces.jsonl"
    with pytest.raises(SpecFault, match="3 of 3 trajectories state no outcome"):
        import_logs(
            [SAMPLES / "claude_code", SAMPLES / "codex", SAMPLES / "mini"], choose(out=out), False, "none"
        )
    assert not out.exists()
    import_logs([SAMPLES], choose(label_file=labels), False, "none")
    head, *rows = labels.read_text().splitlines()
    assert head.endswith(",outcome")
    assert len(rows) == 5
    labels.write_text("\n".join([head, *(f"{row}success" for row in rows[:4]), f"{rows[4]}failure"]) + "\n")
    import_logs([SAMPLES], choose(out=out, outcomes=labels), True, "none")
    told = json.loads(
        capsys.readouterr().out.partition("fill in outcome")[2].partition("{")[2].join(["{", ""])
    )
    traces = read_traces(out)
    assert [trace.outcome for trace in traces].count("success") == told["success"] == 4
    assert told["outcomes"] == {"the file of outcomes": 5}
    assert len(condense(out, CondenseOptions(condenser="nothing")).made) == 5


def test_an_outcome_of_a_task_that_ran_twice_is_refused(tmp_path: Path) -> None:
    log, table = tmp_path / "log.jsonl", tmp_path / "outcomes.csv"
    log.write_text(chat("a", "t") + chat("b", "t", "Add it."))
    table.write_text("task_id,outcome\nt,success\n")
    with pytest.raises(SpecFault, match="'t', of which there are 2 runs"):
        import_traces([log], ImportOptions(outcomes=table))
    table.write_text("trace_id,outcome\na,success\nb,failure\nc,failure\n")
    brought = import_traces([log], ImportOptions(outcomes=table))
    assert [trace.outcome for trace in brought.traces] == ["success", "failure"]
    assert brought.unused == ("c",)


def test_a_report_of_swe_bench_states_outcomes(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"resolved_ids": ["task-1"], "unresolved_ids": []}))
    (trace,) = import_traces([SAMPLES / "mini"], ImportOptions(outcomes=report)).traces
    assert trace.outcome == "success"


def test_what_the_file_says_wins_and_the_contradiction_is_counted(tmp_path: Path) -> None:
    log, table = tmp_path / "log.jsonl", tmp_path / "outcomes.csv"
    log.write_text(chat("a", "t"))
    table.write_text("trace_id,outcome\na,failure\n")
    brought = import_traces([log], ImportOptions(outcomes=table, outcome_field="success"))
    assert [trace.outcome for trace in brought.traces] == ["failure"]
    assert brought.left_out["outcomes of logs that the file of outcomes contradicts"] == 1


def test_a_damaged_log_among_good_ones_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(chat("a", "t"))
    (tmp_path / "b.jsonl").write_text(chat("b", "u") * 30 + '{"id": "cut')
    (tmp_path / "notes.txt").write_text("hello")
    brought = import_traces([tmp_path])
    assert len(brought.waiting) == 1
    assert len(brought.unread) == 1
    assert "b.jsonl, line 31: no JSON" in brought.unread[0]
    assert [path for path, _ in brought.passed] == [str(tmp_path / "notes.txt")]


def test_a_copy_of_a_log_counts_once(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(chat("a", "t"))
    brought = import_traces([tmp_path])
    assert len(brought.waiting) == 1
    assert brought.left_out["runs that stand twice"] == 1


def test_what_is_read_is_not_overwritten(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(chat("a", "t"))
    with pytest.raises(SpecFault, match="would overwrite"):
        import_logs([log], choose(out=log, outcome_field="success"), False, "none")


def test_a_trace_file_that_is_none_is_named_with_the_command() -> None:
    with pytest.raises(
        TraceFault, match=r"a transcript of Claude Code: memtrial import traces .* --out"
    ) as fault:
        read_traces(SAMPLES / "claude_code" / "session.jsonl")
    assert str(fault.value).endswith("see memtrial schema trace")
