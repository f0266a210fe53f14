"""Trace files: what is written reads back the same, and a broken line is named with its number."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.agents.traces import TraceFault, read_traces, trace_from_json, trace_to_json
from memtrial.agents.trajectory import Step, Trajectory

HOTPOTQA = Path(__file__).resolve().parents[3] / "shared" / "data" / "traces" / "hotpotqa_react.jsonl"

texts = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    ["", "\u2028", "\u0085", "a\r\nb", "\x0b\x0c\x1c", "\ufeff", "\x00", '"}\n{"', "[[ ## x ## ]]"]
)
steps = st.builds(Step, texts, texts, texts, st.sampled_from(["", "format", "refused"]))
scores = st.none() | st.floats(0, 1)
trajectories = st.builds(
    Trajectory, texts, texts, texts, st.sampled_from(["success", "failure"]),
    st.lists(steps, max_size=3).map(tuple), texts, texts, scores,
)  # fmt: skip

GOOD = {"trace_id": "t", "task_id": "q", "query": "Do it.", "outcome": "success", "steps": []}


@given(trace=trajectories)
def test_a_trajectory_survives_its_line(trace, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "traces.jsonl"
    path.write_text(json.dumps(trace_to_json(trace), ensure_ascii=False), "utf-8")
    assert read_traces(path) == (trace,)


def file_of(folder: Path, *lines: object) -> Path:
    path = folder / "traces.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


BROKEN = {
    "no JSON": '{"trace_id": "t",',
    "another value": "[1, 2]",
    "a number": "17",
    "nothing": "null",
    "too deep": "[" * 100_000,
    "an endless figure": '{"score": ' + "9" * 5000 + "}",
    "no trace_id": {key: GOOD[key] for key in GOOD if key != "trace_id"},
    "a number as task_id": GOOD | {"task_id": 7},
    "no query": GOOD | {"query": None},
    "another outcome": GOOD | {"outcome": "halted"},
    "no outcome": {key: GOOD[key] for key in GOOD if key != "outcome"},
    "an outcome of another type": GOOD | {"outcome": ["success"]},
    "no steps": {key: GOOD[key] for key in GOOD if key != "steps"},
    "steps of another type": GOOD | {"steps": {"0": {}}},
    "a step of another type": GOOD | {"steps": [{}, "wait"]},
    "an action of another type": GOOD | {"steps": [{"action": ["wait"]}]},
    "an unknown fault": GOOD | {"steps": [{"fault": "late"}]},
    "a fault of another type": GOOD | {"steps": [{"fault": {}}]},
    "a score above one": GOOD | {"score": 1.5},
    "a score that is none": GOOD | {"score": True},
    "no number as score": json.dumps(GOOD | {"score": float("nan")}),
    "half a sign": GOOD | {"query": "\ud83d"},
    "half a sign in a step": GOOD | {"steps": [{"observation": "\udc00"}]},
    "a trace_id that was there": GOOD | {"trace_id": "first"},
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_named_with_its_number(line, tmp_path):
    path = file_of(tmp_path, GOOD | {"trace_id": "first"}, "", line, GOOD | {"trace_id": "last"})
    with pytest.raises(TraceFault) as fault:
        read_traces(path)
    assert f"{path}, line 3" in str(fault.value)
    assert len(str(fault.value)) < len(str(path)) + 300


def test_a_broken_step_is_counted_too(tmp_path):
    with pytest.raises(TraceFault, match=r"line 1: steps\.1\.action: .* got 1"):
        read_traces(file_of(tmp_path, GOOD | {"steps": [{}, {"action": 1}]}))


def test_a_line_counts_as_an_editor_counts_it(tmp_path):
    # U+2028 may stand in JSON as it is, and breaks no line
    path = tmp_path / "traces.jsonl"
    path.write_text(
        json.dumps(GOOD | {"query": "a\u2028b"}, ensure_ascii=False) + "\r\n\r\nbroken\r\n", "utf-8"
    )
    with pytest.raises(TraceFault, match="line 3"):
        read_traces(path)


def test_only_what_a_trace_needs_is_needed(tmp_path):
    (trace,) = read_traces(file_of(tmp_path, GOOD | {"steps": [{}], "trial": 3, "source": "elsewhere"}))
    assert trace == Trajectory("t", "q", "Do it.", "success", (Step("", "", ""),), "", "", None)


def test_a_mark_at_the_head_of_the_file_is_no_text(tmp_path):
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert [trace.trace_id for trace in read_traces(path)] == ["t"]


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe\x00"], ids=["empty", "blank", "no text"])
def test_a_file_without_traces_is_refused(content, tmp_path):
    path = tmp_path / "traces.jsonl"
    path.write_bytes(content)
    with pytest.raises(TraceFault, match=r"traces\.jsonl"):
        read_traces(path)


def test_no_file_and_a_folder_are_refused(tmp_path):
    for path, said in ((tmp_path / "absent.jsonl", "cannot be read"), (tmp_path, "plain file")):
        with pytest.raises(TraceFault, match=said):
            read_traces(path)


@pytest.mark.skipif(not HOTPOTQA.is_file(), reason="the real traces are not beside this checkout")
def test_the_real_traces_read_and_round_trip(tmp_path):
    traces = read_traces(HOTPOTQA)
    assert len(traces) == 100
    assert {trace.outcome for trace in traces} == {"success", "failure"}
    assert all(any(step.action for step in trace.steps) for trace in traces)
    assert tuple(trace_from_json(trace_to_json(trace)) for trace in traces) == traces
