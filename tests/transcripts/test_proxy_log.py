"""What the proxy kept of an agent, as traces: conversations, replies in events, sub-agents."""

import gzip
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from memtrial.api.foreign_logs.import_traces import import_traces
from memtrial.faults import SpecFault
from memtrial.models.wire.content_codings import encode
from memtrial.proxy.exchange import ExchangeEnd, ExchangeIntent
from memtrial.proxy.exchange_folder import exchange_folder

Kept = tuple[str, str, dict[str, object], bytes, int]
USER = {"user_id": json.dumps({"session_id": "s"})}
TOOLS = [{"name": "Bash"}]
MEMORY = {"type": "text", "text": "<system-reminder>\nBe brief.\n</system-reminder>"}


def events(*bodies: dict[str, object]) -> bytes:
    return b"".join(f"data: {json.dumps(body)}\n\n".encode() for body in bodies) + b"data: [DONE]\n\n"


def blocks(*starts: dict[str, object], grown: Sequence[dict[str, object]] = ()) -> bytes:
    opened = [
        {"type": "content_block_start", "index": n, "content_block": block} for n, block in enumerate(starts)
    ]
    deltas = [{"type": "content_block_delta", "index": n, "delta": delta} for n, delta in enumerate(grown)]
    return events({"type": "message_start"}, *opened, *deltas, {"type": "message_stop"})


def keep(folder: Path, *kept: Kept) -> Path:
    """A folder as the proxy writes it: session, path, request, reply and status of each exchange."""
    with exchange_folder(folder) as store:
        for number, (session, path, request, reply, status) in enumerate(kept, 1):
            body = json.dumps(request).encode()
            digest = sha256(body).hexdigest()
            store.begin(ExchangeIntent(number, session, "POST", path, digest, len(body), "", 1.0), body)
            end = ExchangeEnd(
                number, "answered", "", status, sha256(reply).hexdigest(), len(reply), True, None, None,
                False, None, 10.0 + number,
            )  # fmt: skip
            store.end(end, reply)
    return folder


def say(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


def test_a_session_of_claude_code_behind_the_proxy_is_one_trajectory(tmp_path: Path) -> None:
    ask = {"role": "user", "content": [MEMORY, {**say("Count."), "cache_control": {"type": "ephemeral"}}]}
    called = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}
    done = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "file"}]}
    later = {"role": "user", "content": [MEMORY, say("Count.")]}
    first = blocks(
        say(""), {**called, "input": {}},
        grown=[
            {"type": "text_delta", "text": "I look."},
            {"type": "input_json_delta", "partial_json": '{"command": "ls"}'},
        ],
    )  # fmt: skip
    replied = {"role": "assistant", "content": [say("I look."), called]}
    system = {"role": "system", "content": "Today is Friday."}
    asked = {"metadata": USER, "tools": TOOLS}
    sub = {**asked, "messages": [{"role": "user", "content": "Look there."}]}
    title = {"metadata": USER, "messages": [{"role": "user", "content": "A title for: Count."}]}
    last = {**asked, "messages": [later, replied, done]}
    brought = import_traces([
        keep(
            tmp_path / "kept",
            ("alone", "/v1/messages?beta=true", {**asked, "messages": [ask, system]}, first, 200),
            ("alone", "/v1/messages", title, blocks(say("Counting")), 200),
            ("alone", "/v1/messages", sub, gzip.compress(blocks(say("Nothing there."))), 200),
            ("alone", "/v1/messages", last, b'{"type": "error"}', 529),
            ("alone", "/v1/messages", last, blocks(say("One.")), 200),
            ("alone", "/v1/messages/count_tokens", {}, b"{}", 200),
        )
    ])  # fmt: skip
    (trace,) = brought.waiting
    assert (trace.trace_id, trace.query) == ("s", "Count.")
    assert [(step.thought, step.action, step.observation) for step in trace.steps] == [
        ("I look.", "ls", "file"), ("", "Nothing there.", ""), ("", "One.", ""),
    ]  # fmt: skip
    assert brought.joined == 1
    assert brought.left_out == {
        "requests that ask no model": 1,
        "requests that brought no whole reply": 1,
        "requests that a later one goes on from or repeats": 1,
        "requests of a client beside its conversation, as for a title": 1,
    }


def test_chunks_of_a_chat_and_events_of_responses_are_put_together(tmp_path: Path) -> None:
    part = {"index": 0, "id": "c", "function": {"name": "add", "arguments": '{"x"'}}
    rest = {"index": 0, "function": {"arguments": ": 1}"}}
    chunks = events(*(
        {"choices": [{"delta": delta}]}
        for delta in ({"content": "I a"}, {"content": "dd."}, {"tool_calls": [part]}, {"tool_calls": [rest]})
    ))  # fmt: skip
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Two."}]}
    done = events({"type": "response.output_item.done", "item": item}, {"type": "response.completed"})
    chat = {"messages": [{"role": "user", "content": "Add."}]}
    brought = import_traces([
        keep(
            tmp_path / "kept",
            ("alone", "/v1/chat/completions", chat, chunks, 200),
            ("alone", "/v1/responses", {"input": "What is 1+1?"}, done, 200),
        )
    ])  # fmt: skip
    assert [(trace.query, trace.steps[0].thought, trace.steps[0].action) for trace in brought.waiting] == [
        ("Add.", "I add.", 'add({"x": 1})'), ("What is 1+1?", "", "Two."),
    ]  # fmt: skip


@pytest.mark.parametrize("coding", ["gzip", "zstd", "br"])
def test_a_reply_is_read_in_each_coding(tmp_path: Path, coding: str) -> None:
    chat = {"messages": [{"role": "user", "content": "Add."}]}
    reply = encode(blocks(say("Two.")), coding)
    (trace,) = import_traces([keep(tmp_path / "kept", ("alone", "/v1/messages", chat, reply, 200))]).waiting
    assert trace.steps[0].action == "Two."


def test_a_body_is_looked_for_in_the_folder_alone_and_a_cut_line_is_left_out(tmp_path: Path) -> None:
    chat = {"messages": [{"role": "user", "content": "Add."}]}
    reply = json.dumps({"choices": [{"message": {"role": "assistant", "content": "2"}}]}).encode()
    folder = keep(tmp_path / "kept", ("alone", "/v1/chat/completions", chat, reply, 200))
    lines = folder / "exchanges.jsonl"
    whole = lines.read_text()
    lines.write_text(whole + '{"number": 2, "sess')
    brought = import_traces([folder])
    assert len(brought.waiting) == 1
    assert brought.left_out == {"a last line that was cut short": 1}
    digest = sha256(json.dumps(chat).encode()).hexdigest()
    lines.write_text(whole.replace(digest, "../exchanges"))
    with pytest.raises(SpecFault, match="request 1: no digest of a body"):
        import_traces([folder])
