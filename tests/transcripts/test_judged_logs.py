"""Outcomes by a judge: only where nothing states one, held against those that are stated, paid for once."""

import json
from pathlib import Path

import pytest

from memtrial.agents.traces import read_traces
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.api.foreign_logs.import_traces import ImportedTraces, ImportOptions, import_traces
from memtrial.api.foreign_logs.outcome_judge import AUDITED, JudgedRuns, Judgement, pick_judged
from memtrial.api.foreign_logs.settled_runs import SettledRuns, take_verdicts
from memtrial.cli.results.import_logs import LogChoice, import_logs
from memtrial.faults import SpecFault

EXACT = "simulated/grader?hit=1&false_alarm=0"


def chats(path: Path, *ends: tuple[str, str | None]) -> Path:
    """A conversation for each last word of the world, with the outcome that its log states."""
    rows = []
    for number, (end, outcome) in enumerate(ends):
        messages = [
            {"role": "user", "content": f"Task {number}."},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "go"}}]},
            {"role": "tool", "tool_call_id": "c", "content": end},
        ]
        rows.append({"id": f"t{number}", "messages": messages, "outcome": outcome})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def judged(log: Path, judge: str = EXACT, **more: object) -> ImportedTraces:
    options = {"outcome_field": "outcome", "judgements": log.with_name("kept.jsonl"), **more}
    return import_traces([log], ImportOptions(judge=judge, **options))  # type: ignore[arg-type]


def test_the_judge_says_only_what_nothing_states_and_its_errors_are_counted(tmp_path: Path) -> None:
    log = chats(
        tmp_path / "a.jsonl", ("It is solved.", None), ("It broke.", None), ("It is solved.", "failure"),
        ("It is solved.", "success"), ("It broke.", "success"), ("It broke.", "failure"),
    )  # fmt: skip
    brought = judged(log)
    assert {trace.trace_id: trace.outcome for trace in brought.traces} == {
        "t0": "success", "t1": "failure", "t2": "failure", "t3": "success", "t4": "success", "t5": "failure",
    }  # fmt: skip
    assert brought.outcomes == {"field outcome": 4, f"the judge {EXACT} (simulated)": 2}
    assert not brought.waiting
    told = brought.to_json()["judge"]
    assert isinstance(told, dict)
    assert (told["stated_failures"], told["of_these_judged_success"]) == (2, 1)
    assert (told["stated_successes"], told["of_these_judged_failure"]) == (2, 1)
    assert (told["calls"], told["simulated"]) == (6, True)
    lines = "\n".join(brought.summary())
    assert "it took 1 of 2 that failed for a success, and 1 of 2 that succeeded for a failure" in lines
    reasons = {trace.trace_id: trace.reason for trace in brought.traces}
    assert reasons["t0"].startswith(f"judged by {EXACT} (simulated): ")
    assert reasons["t3"] == ""


def test_an_answer_is_paid_for_once_and_a_line_cut_short_is_asked_for_again(tmp_path: Path) -> None:
    log = chats(tmp_path / "a.jsonl", ("It is solved.", None), ("It broke.", None))
    first = judged(log).judged
    again = judged(log).judged
    assert first is not None
    assert again is not None
    assert (len(first.fresh), len(again.fresh), len(again.by_name)) == (2, 0, 2)
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(kept.read_bytes()[:-20])
    assert len(getattr(judged(log).judged, "fresh", ())) == 1
    assert len(getattr(judged(log).judged, "by_name", ())) == 2
    assert len(kept.read_text().splitlines()) == 2
    kept.write_text("{}\n")
    with pytest.raises(SpecFault, match=r"kept\.jsonl, line 1: a line of judgements is needed"):
        judged(log)


def test_a_verdict_that_cannot_be_read_is_no_failure() -> None:
    run = Trajectory("a", "a", "q", "failure", (Step("", "go", "done"),))
    row = Judgement(trace_id="a", key="k", judge="x/y", verdict="", fault="unreadable")
    said = JudgedRuns("x/y", {"a": row}, (row,))
    settled = take_verdicts(SettledRuns((), (run,), {"not stated": 1}, {}, ()), said)  # type: ignore[arg-type]
    assert (settled.traces, settled.waiting) == ((), (run,))
    assert said.unread == 1
    assert "1 verdict that cannot be read" in said.lines()[0]
    assert "its errors are not known" in said.lines()[1]


def test_of_stated_outcomes_the_same_few_of_each_are_judged() -> None:
    runs = [
        Trajectory(str(n), str(n), "q", "failure" if n % 4 else "success", (Step("", "a"),))
        for n in range(100)
    ]
    picked = pick_judged(runs, ())
    assert [sum(run.outcome == word for run in picked) for word in ("success", "failure")] == [AUDITED] * 2
    assert picked == pick_judged(runs[::-1], ())


def test_the_command_keeps_the_answers_beside_the_traces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, out = chats(tmp_path / "a.jsonl", ("It is solved.", None)), tmp_path / "traces.jsonl"
    choice = LogChoice("auto", out, None, "", None, None, EXACT)
    import_logs([log], choice, True, "none")
    assert json.loads(capsys.readouterr().out)["judge"]["calls"] == 1
    assert [trace.outcome for trace in read_traces(out)] == ["success"]
    assert len((tmp_path / "traces.judgements.jsonl").read_text().splitlines()) == 1
    with pytest.raises(SpecFault, match="--judge needs --out"):
        import_logs([log], LogChoice("auto", None, None, "", None, None, EXACT), True, "none")
    with pytest.raises(SpecFault, match="judges success"):
        judged(log, "simulated/reader")
