"""One record of a chat log: a whole conversation, or a request and its reply."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from memtrial.transcripts.log_text import Json, compact, entries, fields, text

Dialect = Literal["openai", "anthropic", "responses"]
REQUESTS = ("request", "request_body", "input_body", "body", "kwargs", "params")
SET_UP = ("system", "developer")
THOUGHTS = ("thinking", "redacted_thinking")
REPLIES = ("response", "response_body", "reply", "output_body", "completion", "result")


@dataclass(frozen=True, slots=True)
class ChatExchange:
    """What a record says.

    Args:
        messages: before the reply, in the form of the dialect; items of the Responses API.
        reply: the messages or items of the reply; empty where the conversation holds it.
        name, follows: of a response, and of the one it goes on from; empty where there is none.
    """

    dialect: Dialect
    messages: tuple[Json, ...]
    reply: tuple[Json, ...]
    record: dict[str, Json]
    name: str = ""
    follows: str = ""

    @property
    def batch(self) -> str:
        """The `custom_id` of a request or a reply that stands alone in a file of a batch; else empty."""
        halves = bool(self.messages) != bool(self.reply) and ("messages" not in self.record)
        return text(self.record.get("custom_id")) if halves else ""

    def prefixes(self) -> tuple[str, ...]:
        """A digest for the messages up to each of them, the whole last.

        What a client changes of a message while it goes on does not count: marks of the provider's cache, a
        text as a text or as a block, thoughts that are left away, and words of the system in between.
        """
        digest, marks = sha256(), list[str]()
        for message in self.messages:
            parts = fields(message)
            if marks and parts.get("role") in SET_UP:
                continue
            told = {
                "role": parts.get("role"),
                "content": _plain_blocks(parts.get("content")),
                "calls": parts.get("tool_calls"),
            }
            digest.update(compact(told if "role" in parts else message).encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
            marks.append(digest.hexdigest())
        return tuple(marks)


def read_exchange(record: dict[str, Json]) -> ChatExchange | None:
    """The conversation of a record; None where it holds none."""
    request = next((fields(record[key]) for key in REQUESTS if isinstance(record.get(key), dict)), record)
    request = fields(request.get("body")) or request
    reply = next((fields(record[key]) for key in REPLIES if isinstance(record.get(key), dict)), {})
    reply = fields(reply.get("body")) or fields(reply.get("message")) or reply or _own_reply(record)
    messages = request.get("messages", record.get("messages"))
    items = request.get("input", reply.get("input"))
    said, dialect = _reply_messages(reply)
    if isinstance(messages, list):
        return ChatExchange(dialect or _dialect_of(request), tuple(messages), said, record)
    if dialect:
        return ChatExchange(dialect, (), said, record)
    outputs = entries(reply.get("output")) or entries(record.get("output"))
    if (isinstance(items, list | str) and (outputs or _are_items(items))) or _are_items(outputs):
        told = [{"role": "user", "content": items}] if isinstance(items, str) else entries(items)
        follows = text(request.get("previous_response_id")) or text(reply.get("previous_response_id"))
        return ChatExchange("responses", tuple(told), tuple(outputs), record, text(reply.get("id")), follows)
    return None


def _plain_blocks(content: Json) -> list[Json]:
    """The blocks of a content as they are, whatever a client marks on them."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else entries(content)
    return [
        {key: value for key, value in block.items() if key != "cache_control"}
        for block in map(fields, blocks)
        if block.get("type") not in THOUGHTS
    ]


def _own_reply(record: dict[str, Json]) -> dict[str, Json]:
    """A stored completion is its own reply."""
    return record if "choices" in record or record.get("object") == "response" else {}


def _reply_messages(reply: dict[str, Json]) -> tuple[tuple[Json, ...], Dialect | None]:
    if reply.get("type") == "message" and isinstance(reply.get("content"), list):
        return ({"role": "assistant", "content": reply["content"]},), "anthropic"
    choices = entries(reply.get("choices"))
    message = fields(choices[0]).get("message") if choices else None
    return ((message,), "openai") if isinstance(message, dict) else ((), None)


def _dialect_of(request: dict[str, Json]) -> Dialect:
    messages = request.get("messages")
    if any("role" not in fields(message) for message in entries(messages)):
        return "openai"  # LangChain's own form
    if "system" in request or text(request.get("model")).startswith("claude"):
        return "anthropic"
    if any(fields(message).get("role") in ("tool", "system", "developer") for message in entries(messages)):
        return "openai"
    blocks = ("tool_use", "tool_result", "thinking")
    marked = any(
        fields(block).get("type") in blocks
        for message in entries(messages)
        for block in entries(fields(message).get("content"))
    )
    return "anthropic" if marked else "openai"


def _are_items(items: Json) -> bool:
    kinds = ("message", "reasoning", "function_call", "function_call_output")
    return any(fields(item).get("type") in kinds or "role" in fields(item) for item in entries(items))
