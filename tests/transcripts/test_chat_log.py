"""Chats as people log them: conversations, requests with replies, and calls that go on from one another."""

import json
from pathlib import Path

import pytest

from memtrial.api.foreign_logs.import_traces import ImportedTraces, ImportOptions, import_traces
from memtrial.faults import SpecFault

SYSTEM = {"role": "system", "content": "Be short."}
ASK = {"role": "user", "content": "Add."}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"x": 1}'}}],
}
RESULT = {"role": "tool", "tool_call_id": "c", "content": "2"}
END = {"role": "assistant", "content": "It is 2."}
STEPS = [('add({"x": 1})', "2"), ("It is 2.", "")]
BLOCKS = [
    {"role": "user", "content": "Add."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "add", "input": {"x": 1}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "2"}]},
]
ITEMS = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Add."}]},
    {"type": "function_call", "name": "add", "arguments": '{"x": 1}', "call_id": "c"},
    {"type": "function_call_output", "call_id": "c", "output": "2"},
]
SAID = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 2."}]}]
TOLD = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "It is 2."}]}


def choose(message: object) -> object:
    return {"choices": [{"message": message}]}


FORMS: dict[str, tuple[str, list[object]]] = {
    "for fine-tuning": ("openai", [{"messages": [SYSTEM, ASK, CALL, RESULT, END], "id": "a"}]),
    "request and response": (
        "openai",
        [{"id": "a", "request": {"messages": [SYSTEM, ASK, CALL, RESULT]}, "response": choose(END)}],
    ),
    "a batch's bodies": (
        "openai",
        [{"custom_id": "a", "body": {"messages": [ASK, CALL, RESULT]},
          "response": {"status_code": 200, "body": {"choices": [{"message": END}]}}}],
    ),
    "responses": ("openai", [{"id": "a", "object": "response", "input": ITEMS, "output": SAID}]),
    "anthropic": (
        "anthropic",
        [{"id": "a", "request": {"system": "Be short.", "messages": BLOCKS}, "response": TOLD}],
    ),
    "anthropic in one": ("anthropic", [{"id": "a", "messages": [*BLOCKS, END]}]),
    "each request of a run": (
        "openai",
        [
            {"id": "x", "request": {"messages": [SYSTEM, ASK]}, "response": choose(CALL)},
            {"id": "y", "request": {"messages": [SYSTEM, ASK]}, "response": choose(CALL)},
            {"id": "a", "request": {"messages": [SYSTEM, ASK, CALL, RESULT]}, "response": choose(END)},
        ],
    ),
}  # fmt: skip


def bring(folder: Path, *records: object, **options: object) -> ImportedTraces:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return import_traces([path], ImportOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(tmp_path: Path, form: str) -> None:
    name, records = FORMS[form]
    brought = bring(tmp_path, *records)
    assert [log.format for log in brought.logs] == [name]
    assert [log.records for log in brought.logs] == [len(records)]
    (trace,) = brought.waiting
    assert (trace.trace_id, trace.query) == ("a", "Add.")
    assert [(step.action, step.observation) for step in trace.steps] == STEPS


def test_a_request_that_was_tried_again_is_no_run_of_its_own(tmp_path: Path) -> None:
    _, records = FORMS["each request of a run"]
    assert bring(tmp_path, *records).left_out["requests that a later one goes on from or repeats"] == 2


def test_what_the_user_says_later_is_an_observation(tmp_path: Path) -> None:
    messages = [ASK, END, {"role": "user", "content": "Again."}, END]
    (trace,) = bring(tmp_path, {"messages": messages}).waiting
    assert [(step.action, step.observation) for step in trace.steps] == [
        ("It is 2.", "Again."),
        ("It is 2.", ""),
    ]


def test_a_field_is_an_outcome_where_it_is_named_and_else_is_offered(tmp_path: Path) -> None:
    records = [
        {"messages": [ASK, END], "id": str(n), "success": n == 1, "info": {"score": n / 4}} for n in range(3)
    ]
    brought = bring(tmp_path, *records)
    assert (len(brought.traces), len(brought.waiting)) == (0, 3)
    assert "--outcome-field success" in brought.advice()
    brought = bring(tmp_path, *records, outcome_field="success")
    assert [trace.outcome for trace in brought.traces] == ["failure", "success", "failure"]
    assert brought.outcomes == {"field success": 3}
    with pytest.raises(SpecFault, match="--success-from"):
        bring(tmp_path, *records, outcome_field="info.score")
    brought = bring(tmp_path, *records, outcome_field="info.score", success_from=0.25)
    assert [(trace.outcome, trace.score) for trace in brought.traces] == [
        ("failure", 0.0), ("success", 0.25), ("success", 0.5),
    ]  # fmt: skip


def test_messages_without_a_reply_are_no_run(tmp_path: Path) -> None:
    brought = bring(tmp_path, {"messages": [ASK]}, {"messages": [ASK, END]})
    assert len(brought.waiting) == 1
    assert brought.left_out["records without a reply of the model"] == 1


def test_half_of_a_surrogate_pair_is_written_as_a_mark(tmp_path: Path) -> None:
    (trace,) = bring(tmp_path, {"messages": [{"role": "user", "content": "a\ud800b"}, END]}).waiting
    assert trace.query == "a\ufffdb"


FOREIGN = {
    "nothing": (b"", "an empty file"),
    "a pickle": (b"\x80\x04K\x01.", "a binary file, as a pickle"),
    "no JSON": (b"hello\n", "no log that is known"),
    "another encoding": ('{"messages": "é"}'.encode("utf-16"), "a text in UTF-16: save it as UTF-8"),
    "Latin-1": (b'{"messages": "\xe9"}\n', "no log that is known .no JSON: .utf-8"),
    "deep": (b"[" * 100_000, "no log that is known"),
    "a table": (b'{"task": "a", "score": 1}\n', "JSON with the keys 'task', 'score'"),
    "results without steps": (
        b'[{"name": "env_0", "memory": [], "is_success": true}]',
        "results without steps",
    ),
    "a trace file": (b'{"trace_id": "a", "outcome": "success", "steps": []}\n', "a trace file of memtrial"),
    "a message a line": (b'{"role": "user", "content": "Add."}\n', "messages, a line each"),
    "a zip": (b"PK\x03\x04" + bytes(60), "a zip that is no log of Inspect"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_that_is_no_log_is_named_as_what_it_looks_like(tmp_path: Path, name: str) -> None:
    raw, words = FOREIGN[name]
    path = tmp_path / "odd.jsonl"
    path.write_bytes(raw)
    with pytest.raises(SpecFault, match=words) as fault:
        import_traces([path])
    assert "memtrial schema trace" in str(fault.value)
    assert "\n" not in str(fault.value)
