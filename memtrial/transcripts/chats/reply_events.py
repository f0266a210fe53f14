"""A reply as its provider sent it: a body, or a stream of events, put together to the body it stands for."""

from collections.abc import Iterator

from memtrial.transcripts.log_text import Json, entries, fields, load, text
from memtrial.transcripts.logged_run import LogFault


def read_reply(raw: bytes, where: str) -> dict[str, Json]:
    """The body of a reply, in the form of its provider. Raises LogFault: neither JSON nor events."""
    if raw.lstrip()[:1] == b"{":
        return fields(load(raw, where))
    events = list(_events(raw, where))
    if not events:
        raise LogFault(f"{where}: a reply in JSON or in events is needed")
    kinds = {text(event.get("type")) for event in events}
    if "message_start" in kinds:
        return _of_blocks(events, where)
    if any(kind.startswith("response.") for kind in kinds):
        return _of_items(events)
    return _of_chunks(events)


def _events(raw: bytes, where: str) -> Iterator[dict[str, Json]]:
    for line in raw.split(b"\n"):
        data = line[5:].strip() if line.startswith(b"data:") else b""
        if data and data != b"[DONE]":
            yield fields(load(data, where))


def _of_blocks(events: list[dict[str, Json]], where: str) -> dict[str, Json]:
    """Anthropic's events: blocks by number, each grown by its deltas."""
    blocks = dict[str, dict[str, Json]]()
    grown = dict[str, list[str]]()
    for event in events:
        number = str(event.get("index"))
        if event.get("type") == "content_block_start":
            blocks[number] = dict(fields(event.get("content_block")))
            grown[number] = []
        elif event.get("type") == "content_block_delta" and number in grown:
            delta = fields(event.get("delta"))
            grown[number] += [text(delta.get(key)) for key in ("text", "thinking", "partial_json")]
    for number, block in blocks.items():
        whole = "".join(grown[number])
        if text(block.get("type")).endswith("tool_use"):
            block["input"] = load(whole, where) if whole else block.get("input")
        elif whole:
            key = "thinking" if block.get("type") == "thinking" else "text"
            block[key] = text(block.get(key)) + whole
    return {"type": "message", "role": "assistant", "content": list(blocks.values())}


def _of_items(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Events of the Responses API: the items that are done, or those of the response at its end."""
    done = [event.get("item") for event in events if event.get("type") == "response.output_item.done"]
    ends = [fields(event.get("response")) for event in events if "response" in event]
    whole = ends[-1] if ends else {}
    return {"object": "response", **whole, "output": done or entries(whole.get("output"))}


def _of_chunks(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Chunks of a chat completion, of its first choice."""
    said, thought = list[str](), list[str]()
    calls = dict[str, dict[str, Json]]()
    grown = dict[str, list[str]]()
    for event in events:
        choices = entries(event.get("choices"))
        delta = fields(fields(choices[0]).get("delta")) if choices else {}
        said.append(text(delta.get("content")))
        thought.append(text(delta.get("reasoning_content")))
        for part in map(fields, entries(delta.get("tool_calls"))):
            number, inner = str(part.get("index")), fields(part.get("function"))
            call = calls.setdefault(number, {})
            call.setdefault("id", text(part.get("id")))
            call.setdefault("name", text(inner.get("name")))
            grown.setdefault(number, []).append(text(inner.get("arguments")))
    asked = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": "".join(grown[n])},
        }
        for n, call in calls.items()
    ]
    message = {"role": "assistant", "content": "".join(said), "reasoning_content": "".join(thought)}
    return {"choices": [{"message": {**message, "tool_calls": asked}}]}
