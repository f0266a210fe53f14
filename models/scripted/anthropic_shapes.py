"""Anthropic's protocol: questions, answers and errors of its messages API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadbearing.models.client.types import Message, Request, Stop
from loadbearing.models.scripted.protocol import Asked, Block, Body, Refused, Said, Usage, request_id

STRICT = "2026-10-21"
"""From this version of the API on, sampling parameters are not taken."""
SAMPLING = ("temperature", "top_p", "top_k")
STOPS: dict[Stop, str] = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}
TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class AnthropicDialect:
    """`POST /v1/messages`."""

    def read(self, body: Body, version: str) -> Asked:
        """Understand a question.

        Raises:
            Refused: a field is missing or wrong, or a sampling parameter is not taken.
        """
        asked = read_prompt(body)
        limit = body.get("max_tokens")
        if limit is None:
            raise Refused(400, "max_tokens: Field required")
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise Refused(400, "max_tokens: Input should be greater than or equal to 1")
        if body.get("stream"):
            raise Refused(400, "stream: the scripted server does not stream; leave stream out")
        _check_sampling(body, asked.request.model, version)
        request = Request(asked.request.model, asked.request.messages, body.get("temperature"), limit)
        return Asked(request, asked.blocks)

    def without_system(self, body: Body) -> Body:
        """The body without its system prompt."""
        return {key: value for key, value in body.items() if key != "system"}

    def write(self, number: int, model: str, said: Said, usage: Usage) -> dict[str, Any]:
        """A message."""
        return {
            "id": f"msg_scripted_{number:06d}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": said.text}] if said.text else [],
            "stop_reason": STOPS[said.stop],
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage.fresh,
                "cache_creation_input_tokens": usage.written,
                "cache_read_input_tokens": usage.read,
                "output_tokens": usage.output,
            },
        }

    def error(self, refused: Refused, number: int) -> dict[str, Any]:
        """An error in Anthropic's form."""
        return {
            "type": "error",
            "error": {"type": TYPES.get(refused.status, "api_error"), "message": str(refused)},
            "request_id": request_id(number),
        }


def read_prompt(body: Body) -> Asked:
    """Model, system prompt and messages: what counting tokens needs too.

    Raises:
        Refused: a field is missing or wrong.
    """
    model, given = body.get("model"), body.get("messages")
    if not isinstance(model, str) or not model:
        raise Refused(400, "model: Field required")
    if not isinstance(given, list) or not given:
        raise Refused(400, "messages: at least one message is required")
    blocks: list[Block] = []
    messages: list[Message] = []
    if body.get("system"):
        found = _blocks("system", body["system"], "system")
        blocks += found
        messages.append(Message("system", _joined(found)))
    for place, one in enumerate(given):
        where = f"messages.{place}"
        if not isinstance(one, dict) or one.get("role") not in ("user", "assistant"):
            raise Refused(400, f"{where}.role: Input should be 'user' or 'assistant'")
        found = _blocks(one["role"], one.get("content"), f"{where}.content")
        if not _joined(found).strip() and not (one["role"] == "assistant" and place == len(given) - 1):
            raise Refused(
                400,
                f"{where}: all messages must have non-empty content except for the optional final"
                " assistant message",
            )
        blocks += found
        messages.append(Message(one["role"], _joined(found)))
    if body.get("cache_control") and blocks:
        # on the whole request: the provider marks the last block there is
        blocks[-1] = Block(blocks[-1].role, blocks[-1].text, True)
    return Asked(Request(model, tuple(messages)), tuple(blocks))


def _blocks(role: str, content: object, where: str) -> list[Block]:
    if isinstance(content, str):
        return [Block(role, content)]
    if not isinstance(content, list):
        raise Refused(400, f"{where}: Input should be a valid string or list of blocks")
    found = []
    for place, one in enumerate(content):
        if not isinstance(one, dict) or one.get("type") != "text" or not isinstance(one.get("text"), str):
            raise Refused(400, f"{where}.{place}: the scripted server reads blocks of type text alone")
        if not one["text"]:
            raise Refused(400, f"{where}.{place}: text content blocks must be non-empty")
        found.append(Block(role, one["text"], bool(one.get("cache_control"))))
    return found


def _joined(blocks: Sequence[Block]) -> str:
    """The text as the model reads it: a client that cuts a text into blocks has not changed it."""
    return "".join(block.text for block in blocks)


def _check_sampling(body: Body, model: str, version: str) -> None:
    given = [name for name in SAMPLING if body.get(name) is not None]
    if given and version >= STRICT:
        raise Refused(400, f"{given[0]}: Extra inputs are not permitted")
    temperature = body.get("temperature")
    if temperature is None:
        return
    if not isinstance(temperature, int | float) or not 0 <= temperature <= 1:
        raise Refused(400, "temperature: Input should be between 0 and 1")
    if "opus-5" in model and temperature != 1:
        raise Refused(400, f"temperature: {model}: only temperature=1 is supported")
