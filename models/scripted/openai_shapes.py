"""OpenAI's protocol: chat, embeddings and the list of models."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from loadbearing.models.client.types import Message, Request, Role, Stop
from loadbearing.models.embeddings.embedding import Array
from loadbearing.models.scripted.protocol import (
    Json,
    Name,
    NoStream,
    Refused,
    RequestFields,
    Said,
    Text,
    parsed,
    tokens,
)

ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
STOPS: dict[Stop, str] = {"end": "stop", "length": "length", "refusal": "stop"}
NO_LIMIT = 1_000_000
CREATED = 1_790_000_000
TYPES = {401: ("authentication_error", "invalid_api_key"), 404: ("invalid_request_error", "model_not_found")}
Limit = Annotated[int, Field(ge=1)]


class _Turn(RequestFields):
    role: Literal["system", "developer", "user", "assistant"]
    content: Text | None = None

    @model_validator(mode="after")
    def _has_content(self) -> _Turn:
        if self.content is None and self.role != "assistant":
            raise ValueError("content is a text or a list of parts")
        return self


class _Question(RequestFields):
    model: Name
    messages: Annotated[list[_Turn], Field(min_length=1)]
    stream: NoStream = None
    n: Literal[1] | None = None
    max_completion_tokens: Limit | None = None
    max_tokens: Limit | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


class EmbeddingQuestion(RequestFields):
    """The texts of a request for embeddings, and the length of the vectors it asks for."""

    model: Name
    input: Annotated[
        list[Name], Field(min_length=1), BeforeValidator(lambda one: [one] if isinstance(one, str) else one)
    ]
    dimensions: Annotated[int, Field(ge=1, le=8192)] = 384
    encoding_format: str = "float"


@dataclass(frozen=True, slots=True)
class OpenAIDialect:
    """`POST /v1/chat/completions`."""

    def read(self, body: Json, version: str) -> Request:  # noqa: ARG002
        """Read a question.

        Raises:
            Refused: a field is missing or invalid.
        """
        asked = parsed(_Question, body)
        messages = tuple(Message(ROLES[turn.role], turn.content or "") for turn in asked.messages)
        limit = asked.max_completion_tokens or asked.max_tokens or NO_LIMIT
        return Request(asked.model, messages, asked.temperature, limit)

    def without_system(self, body: Json) -> Json:
        """The body without its system messages."""
        asked = parsed(_Question, body)
        kept: list[JsonValue] = [turn.model_dump() for turn in asked.messages if ROLES[turn.role] != "system"]
        return {**body, "messages": kept}

    def write(self, number: int, model: str, said: Said, input_tokens: int) -> Json:
        """A chat completion with one choice."""
        refused, output_tokens = said.stop == "refusal", tokens(said.text)
        return {
            "id": f"chatcmpl-scripted-{number:06d}",
            "object": "chat.completion",
            "created": CREATED,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": None if refused else said.text,
                        "refusal": (said.text or "I cannot help with that.") if refused else None,
                    },
                    "logprobs": None,
                    "finish_reason": STOPS[said.stop],
                }
            ],
            "usage": {
                "prompt_tokens": input_tokens,
                "completion_tokens": output_tokens,
                "total_tokens": input_tokens + output_tokens,
                "prompt_tokens_details": {"cached_tokens": 0},
            },
        }

    def error(self, refused: Refused, number: int) -> Json:  # noqa: ARG002
        """An error in OpenAI's form."""
        if refused.status == 429:
            code = refused.code or "rate_limit_exceeded"
            kind = "insufficient_quota" if refused.code else "requests"
        else:
            fallback = "invalid_request_error" if refused.status < 500 else "server_error"
            kind, code = TYPES.get(refused.status, (fallback, ""))
        return {"error": {"message": str(refused), "type": kind, "param": None, "code": code or None}}


def write_embeddings(asked: EmbeddingQuestion, model: str, vectors: Array) -> Json:
    """The body of an answer, as lists of numbers or as base64 of little-endian float32.

    Args:
        vectors: of the first texts of `asked`, one row a text, shape (n, d).
    """
    packed = asked.encoding_format == "base64"
    used = sum(map(tokens, asked.input[: len(vectors)]))
    rows: list[JsonValue] = [
        {"object": "embedding", "index": place, "embedding": _pack(row) if packed else row.tolist()}
        for place, row in enumerate(vectors)
    ]
    usage: Json = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "data": rows, "model": model, "usage": usage}


def write_models(names: Sequence[str]) -> Json:
    """The list of models, with the fields of both providers: they share the path."""
    return {
        "object": "list",
        "data": [write_model(name) for name in names],
        "has_more": False,
        "first_id": names[0] if names else None,
        "last_id": names[-1] if names else None,
    }


def write_model(name: str) -> Json:
    """One model, with the fields of both providers."""
    return {
        "id": name,
        "object": "model",
        "created": CREATED,
        "owned_by": "scripted",
        "type": "model",
        "display_name": name,
        "created_at": "2026-09-21T00:00:00Z",
    }


def _pack(row: Array) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")
