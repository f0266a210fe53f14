"""Messages of the protocol (JSON-RPC 2.0, a line each): read, told apart and written."""

import json
from hashlib import sha256
from typing import Any

Message = dict[str, Any]
MISSING_METHOD, INTERNAL = -32601, -32603
"""Error codes of JSON-RPC."""


def read_message(line: bytes) -> Message | None:
    """A message; None where the line is none, as where a program prints a banner."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def write_message(message: Message) -> bytes:
    """A line."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def answer(number: object, result: Message) -> bytes:
    """The answer to a request."""
    return write_message({"jsonrpc": "2.0", "id": number, "result": result})


def refuse(number: object, code: int, why: str) -> bytes:
    """The answer to a request that is not carried out."""
    return write_message({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": why}})


def text_result(text: str) -> Message:
    """What a tool gives: a text; no content where it is empty.

    `resultType` is wanted by the protocol from 2026-07-28 on, and passed over before.
    """
    content = [{"type": "text", "text": text}] if text else []
    return {"content": content, "isError": False, "resultType": "complete"}


def key_of(number: object) -> str:
    """By what a request is known: 1 and "1" are two."""
    return json.dumps(number, default=str)


def print_tool(tool: Message) -> str:
    """Sha256 of what a model is shown of a tool: its name, its description and what it takes."""
    shown = {name: tool.get(name) for name in ("name", "description", "inputSchema")}
    return sha256(json.dumps(shown, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
