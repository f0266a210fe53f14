"""What reads logs of other programs, as functions of one text."""

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from memtrial.api.foreign_logs.import_traces import ImportOptions, import_traces
from memtrial.api.foreign_logs.outcome_list import read_outcome_list
from memtrial.faults import SpecFault
from memtrial.transcripts.logged_run import LogFault
from memtrial.transcripts.packed.pickle_values import read_pickle


def _bring(name: str, text: str) -> object:
    with tempfile.TemporaryDirectory() as folder, suppress(SpecFault):
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8", errors="replace")
        return import_traces([path], ImportOptions()).summary()
    return None


def _lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _chat(text: str) -> object:
    told = {"role": "user", "content": text}
    reply = {
        "role": "assistant",
        "content": text,
        "tool_calls": [{"function": {"name": text, "arguments": text}}],
    }
    words = text.split("\n")
    many = [{"role": ("user", "assistant")[n % 2], "content": word} for n, word in enumerate(words)]
    asks = [{"request": {"messages": [told]}, "response": {"choices": [{"message": reply}]}} for _ in words]
    return _bring("a.jsonl", _lines({"messages": [told, reply]}, {"messages": many}, *asks[:200]))


def _session(text: str) -> object:
    parts = [
        {"type": "text", "text": text},
        {"type": "tool_use", "id": text, "name": "Bash", "input": {"command": text}},
    ]
    records = [
        {"type": "user", "sessionId": "s", "message": {"content": text}},
        {"type": "assistant", "sessionId": "s", "message": {"id": text, "content": parts}},
        {
            "type": "user",
            "sessionId": "s",
            "message": {"content": [{"type": "tool_result", "tool_use_id": text}]},
        },
    ]
    rollout = [
        {"type": "session_meta", "payload": {"id": text}},
        {"type": "response_item", "payload": {"role": "user", "content": text}},
        {"type": "response_item", "payload": {"role": "assistant", "content": text}},
    ]
    return _bring("a.jsonl", _lines(*records)), _bring("b.jsonl", _lines(*rollout))


def _runs(text: str) -> object:
    agent = {"instance_template": f"Solve {{{{task}}}} {text}"}
    mini = {"info": {"exit_status": text, "config": {"agent": agent}}, "messages": [
        {"role": "user", "content": f"Solve it {text}"}, {"role": "assistant", "content": text},
    ]}  # fmt: skip
    smith = {"id": "a", "run_type": "llm", "inputs": {"input": text}, "outputs": {"output": text}}
    sample = {"id": text, "input": text, "messages": mini["messages"], "scores": {"s": {"value": text}}}
    return [_bring("a.json", json.dumps(body)) for body in (mini, smith, {"eval": {}, "samples": [sample]})]


def _trials(text: str) -> object:
    head = "BEGIN TRIAL 1\n------------- BEGIN CORRECT AGENTS -------------\n"
    bodies = (
        text,
        f"Question: {text}\nThought: {text}\nAction: {text}\nObservation: {text}\nCorrect answer: x\n",
    )
    return [_bring("a.txt", head + body) for body in bodies]


def _parts(text: str) -> object:
    """A batch, responses that name each other, and a table of runs."""
    words = text.split("\n")
    asks = [{"custom_id": word, "body": {"messages": [{"role": "user", "content": word}]}} for word in words]
    said = {"choices": [{"message": {"role": "assistant", "content": "x"}}]}
    replies = [{"custom_id": word, "response": {"body": said}} for word in words]
    item = {"type": "message", "role": "assistant", "content": text}
    chain = [
        {
            "request": {"input": "x", "previous_response_id": before},
            "response": {"id": word, "output": [item]},
        }
        for before, word in pairwise(words[:200])
    ]
    table = "id,run_type,inputs,parent_run_id\n" + "".join(f'"{word}",llm,x,"{word}"\n' for word in words)
    return [
        _bring("a.jsonl", _lines(*asks, *replies)),
        _bring("b.jsonl", _lines(*chain)),
        _bring("c.csv", table),
    ]


def _kept(text: str) -> object:
    """A folder of the proxy's with one reply."""
    asked = json.dumps({"messages": [{"role": "user", "content": text}]})
    lines = [{"number": 1, "path": "/v1/messages", "digest": "a", "session": text},
             {"number": 1, "how": "answered", "status": 200, "digest": "b", "is_kept": True}]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, suppress(SpecFault):
        (Path(folder) / "bodies").mkdir()
        for name, body in (("exchanges.jsonl", _lines(*lines)), ("bodies/a", asked), ("bodies/b", text)):
            (Path(folder) / name).write_text(body, encoding="utf-8", errors="replace")
        return import_traces([folder], ImportOptions()).summary()
    return None


def _stated(text: str) -> object:
    with tempfile.TemporaryDirectory() as folder:
        for name, body in (("o.csv", f"trace_id,outcome\n{text}"), ("o.json", json.dumps({text: text}))):
            (Path(folder) / name).write_text(body, encoding="utf-8", errors="replace")
            with suppress(SpecFault):
                read_outcome_list(Path(folder) / name, None)
    return None


def _pickled(text: str) -> object:
    raw = text.encode("latin-1", "replace")
    for body in (raw, b"\x80\x04" + raw, b"\x80\x04](" + raw + b"e."):
        with suppress(LogFault):
            read_pickle(body, "it")
    return None


LOG_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "a log": lambda text: [_bring(name, text) for name in ("a.jsonl", "a.json")],
        "a log of chats": _chat,
        "a log of sessions": _session,
        "logs of one run": _runs,
        "a log of trials": _trials,
        "a log in parts": _parts,
        "a folder that the proxy kept": _kept,
        "a file of outcomes": _stated,
        "a pickle of a log": _pickled,
    }
)
