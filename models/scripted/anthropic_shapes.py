"""Anthropic's protocol: questions, answers and errors of its messages API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator

from loadbearing.models.client.types import Message, Request, Stop
from loadbearing.models.scripted.protocol import (
    Json,
    Name,
    NoStream,
    Refused,
    RequestFields,
    Said,
    Text,
    parsed,
    request_id,
    tokens,
)

STRICT = "2026-10-21"
"""From this version of the API on, sampling parameters are rejected."""
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


class _Turn(RequestFields):
    role: Literal["user", "assistant"]
    content: Text


class _Prompt(RequestFields):
    """What counting tokens needs."""

    model: Name
    messages: Annotated[list[_Turn], Field(min_length=1)]
    system: Text | None = None

    @field_validator("messages")
    @classmethod
    def _none_blank(cls, turns: list[_Turn]) -> list[_Turn]:
        for place, turn in enumerate(turns):
            final = place == len(turns) - 1 and turn.role == "assistant"
            if not turn.content.strip() and not final:
                raise ValueError(
                    f"message {place} is blank; all messages must have non-empty content except for the"
                    " optional final assistant message"
                )
        return turns


class _Question(_Prompt):
    max_tokens: Annotated[int, Field(ge=1)]
    stream: NoStream = None
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    top_p: JsonValue = None
    top_k: JsonValue = None


@dataclass(frozen=True, slots=True)
class AnthropicDialect:
    """`POST /v1/messages`."""

    def read(self, body: Json, version: str) -> Request:
        """Read a question.

        Args:
            version: the API version the client names; empty for none.

        Raises:
            Refused: a field is missing or invalid, or a sampling parameter is rejected.
        """
        asked = parsed(_Question, body)
        given = [name for name in SAMPLING if getattr(asked, name) is not None]
        if given and version >= STRICT:
            raise Refused(400, f"{given[0]}: Extra inputs are not permitted")
        if "opus-5" in asked.model and asked.temperature not in (None, 1):
            raise Refused(400, f"temperature: {asked.model}: only temperature=1 is supported")
        return Request(asked.model, _messages(asked), asked.temperature, asked.max_tokens)

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

    def error(self, refused: Refused, number: int) -> Json:
        """An error in Anthropic's form."""
        return {
            "type": "error",
            "error": {"type": TYPES.get(refused.status, "api_error"), "message": str(refused)},
            "request_id": request_id(number),
        }


def read_prompt(body: Json) -> Request:
    """Model, system prompt and messages, without the settings.

    Raises:
        Refused: a field is missing or invalid.
    """
    asked = parsed(_Prompt, body)
    return Request(asked.model, _messages(asked))


def _messages(asked: _Prompt) -> tuple[Message, ...]:
    system = [Message("system", asked.system)] if asked.system else []
    return (*system, *(Message(turn.role, turn.content) for turn in asked.messages))
