"""Logs in parts: batches in two files, responses that name the one before, conversations as one list."""

import json
from pathlib import Path

import pytest

from memtrial.api.foreign_logs.import_traces import import_traces

ASK = {"role": "user", "content": "Add."}
SAID = {"role": "assistant", "content": "It is 2."}
OUTPUT = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 2."}]}]


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def asked(name: str, key: str = "body") -> dict[str, object]:
    return {"custom_id": name, key: {"messages": [{"role": "user", "content": f"Add {name}."}]}}


def answered(name: str) -> dict[str, object]:
    body = {"choices": [{"message": SAID}]}
    return {"id": f"batch_{name}", "custom_id": name, "response": {"status_code": 200, "body": body}}


FAILED = {"custom_id": "c", "response": {"status_code": 400, "body": {"error": {"message": "no"}}}}


def test_a_reply_of_a_batch_finds_its_request_in_the_other_file(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", *map(asked, "abcd"))
    write(tmp_path / "out.jsonl", answered("b"), answered("a"), FAILED, answered("e"))
    brought = import_traces([tmp_path])
    assert {trace.trace_id: trace.query for trace in brought.waiting} == {
        "batch_a": "Add a.", "batch_b": "Add b.",
    }  # fmt: skip
    assert [len(trace.steps) for trace in brought.waiting] == [1, 1]
    assert [(log.records, log.runs) for log in brought.logs] == [(4, 0), (4, 3)]
    assert brought.left_out == {
        "requests of a batch that failed": 1,
        "requests of a batch whose reply is not there": 2,
        "replies of a batch whose request is not there": 1,
    }


def test_a_custom_id_that_stands_for_two_requests_is_not_guessed(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", asked("a"), asked("b"))
    other = {"custom_id": "a", "body": {"messages": [{"role": "user", "content": "Take away."}]}}
    write(tmp_path / "in2.jsonl", other)
    write(tmp_path / "out.jsonl", answered("a"), answered("b"))
    brought = import_traces([tmp_path])
    assert [trace.query for trace in brought.waiting] == ["Add b."]
    assert brought.left_out["replies of a batch whose custom_id stands for several"] == 1


def test_a_batch_of_anthropic_is_read_the_same(tmp_path: Path) -> None:
    message = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "It is 2."}]}
    write(tmp_path / "in.jsonl", asked("a", "params"), asked("b", "params"))
    good = {"custom_id": "a", "result": {"type": "succeeded", "message": message}}
    write(tmp_path / "out.jsonl", good, {"custom_id": "b", "result": {"type": "expired"}})
    (trace,) = import_traces([tmp_path]).waiting
    assert (trace.query, trace.steps[0].action) == ("Add a.", "It is 2.")


def test_responses_that_go_on_from_each_other_are_one_trajectory(tmp_path: Path) -> None:
    call = {"type": "function_call", "name": "add", "arguments": "{}", "call_id": "c"}
    result = {"type": "function_call_output", "call_id": "c", "output": "2"}
    later = {"input": [result], "previous_response_id": "r1"}
    log = write(
        tmp_path / "a.jsonl",
        {"request": {"input": "Add."}, "response": {"id": "r1", "output": [call]}},
        {"request": later, "response": {"id": "r2", "output": OUTPUT}},
        {"request": later, "response": {"id": "r3", "output": OUTPUT}},
    )  # fmt: skip
    brought = import_traces([log])
    (trace,) = brought.waiting
    assert trace.query == "Add."
    assert [(step.action, step.observation) for step in trace.steps] == [("add({})", "2"), ("It is 2.", "")]
    assert brought.left_out == {"responses to one that had gone on already": 1}


def test_a_reply_without_its_request_has_no_task_and_is_no_trace(tmp_path: Path) -> None:
    log = write(tmp_path / "a.jsonl", {"id": "r", "object": "response", "output": OUTPUT})
    brought = import_traces([log])
    assert brought.left_out == {"runs whose task is not stated": 1}


@pytest.mark.parametrize(
    "messages",
    [
        [ASK, SAID],
        [{"type": "human", "content": "Add."}, {"type": "ai", "content": "It is 2."}],
        [{"type": "human", "data": {"content": "Add."}}, {"type": "ai", "data": {"content": "It is 2."}}],
    ],
    ids=["roles", "LangChain", "LangChain, nested"],
)
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_thread_is_a_list_of_messages_alone_or_in_an_object(
    tmp_path: Path, messages: list[dict[str, object]], wrapped: bool
) -> None:
    log = tmp_path / "thread.json"
    log.write_text(json.dumps({"messages": messages} if wrapped else messages))
    (trace,) = import_traces([log]).waiting
    assert (trace.query, [step.action for step in trace.steps]) == ("Add.", ["It is 2."])
