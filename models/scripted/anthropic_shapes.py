"""Anthropic's protocol: questions, answers and errors of its messages API."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from loadbearing.models.client.types import Message, Request, Stop
from loadbearing.models.scripted.protocol import (
    Json,
    Name,
    Refused,
    RequestFields,
    Said,
    Text,
    parsed,
    tokens,
)

STRICT = "2026-10-21"
"""From this version of the API on, a temperature is rejected."""
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


class _Turn(RequestFields):
    role: Literal["user", "assistant"]
    content: Text


class _Question(RequestFields):
    model: Name
    messages: Annotated[list[_Turn], Field(min_length=1)]
    system: Text | None = None
    max_tokens: Annotated[int, Field(ge=1)]
    temperature: float | None = None


class AnthropicDialect:
    """`POST /v1/messages`."""

    def read(self, body: Json, version: str) -> Request:
        """Read a question.

        Args:
            version: the API version the client names; empty for none.

        Raises:
            Refused: a field is missing or invalid, a text is blank, or a temperature is rejected.
        """
        asked = parsed(_Question, body)
        if not all(turn.content.strip() for turn in asked.messages):
            raise Refused(400, "messages: all messages must have non-empty content")
        if asked.temperature is not None and version >= STRICT:
            raise Refused(400, "temperature: Extra inputs are not permitted")
        system = [Message("system", asked.system)] if asked.system else []
        turns = (Message(turn.role, turn.content) for turn in asked.messages)
        return Request(asked.model, (*system, *turns), asked.temperature, asked.max_tokens)

    def without_system(self, body: Json) -> Json:
        """The body as a gateway leaves it that loses the system prompt."""
        return {key: value for key, value in body.items() if key != "system"}

    def write(self, number: int, model: str, said: Said, input_tokens: int) -> Json:
        """A message; nothing is ever read from a prompt cache."""
        return {
            "id": f"msg_scripted_{number:06d}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": said.text}] if said.text else [],
            "stop_reason": STOPS[said.stop],
            "stop_sequence": None,
            "usage": {
                "input_tokens": input_tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": tokens(said.text),
            },
        }

    def error(self, refused: Refused) -> Json:
        """An error in Anthropic's form."""
        kind = TYPES.get(refused.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": str(refused)}}
