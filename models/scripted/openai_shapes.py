"""OpenAI's protocol: chat and embeddings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from loadbearing.models.client.types import Message, Request, Role, Stop
from loadbearing.models.embeddings.embedding import Array
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

ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
STOPS: dict[Stop, str] = {"end": "stop", "length": "length", "refusal": "stop"}
NO_LIMIT = 1_000_000
TYPES = {401: ("authentication_error", "invalid_api_key"), 404: ("invalid_request_error", "model_not_found")}
Limit = Annotated[int, Field(ge=1)]


class _Turn(RequestFields):
    role: Literal["system", "developer", "user", "assistant"]
    content: Text


class _Question(RequestFields):
    model: Name
    messages: Annotated[list[_Turn], Field(min_length=1)]
    max_completion_tokens: Limit | None = None
    max_tokens: Limit | None = None
    temperature: float | None = None


class EmbeddingQuestion(RequestFields):
    """The texts of a request for embeddings, and the length of the vectors it asks for."""

    model: Name
    input: Annotated[list[Name], Field(min_length=1)]
    dimensions: Annotated[int, Field(ge=1, le=8192)] = 384


class OpenAIDialect:
    """`POST /v1/chat/completions`."""

    def read(self, body: Json, version: str) -> Request:  # noqa: ARG002
        """Read a question.

        Raises:
            Refused: a field is missing or invalid.
        """
        asked = parsed(_Question, body)
        messages = tuple(Message(ROLES[turn.role], turn.content) for turn in asked.messages)
        limit = asked.max_completion_tokens or asked.max_tokens or NO_LIMIT
        return Request(asked.model, messages, asked.temperature, limit)

    def without_system(self, body: Json) -> Json:
        """The body without its system messages."""
        turns = parsed(_Question, body).messages
        kept: list[JsonValue] = [turn.model_dump() for turn in turns if ROLES[turn.role] != "system"]
        return {**body, "messages": kept}

    def write(self, number: int, model: str, said: Said, input_tokens: int) -> Json:
        """A chat completion with one choice."""
        refused, output_tokens = said.stop == "refusal", tokens(said.text)
        return {
            "id": f"chatcmpl-scripted-{number:06d}",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": None if refused else said.text,
                        "refusal": (said.text or "I cannot help with that.") if refused else None,
                    },
                    "finish_reason": STOPS[said.stop],
                }
            ],
            "usage": {
                "prompt_tokens": input_tokens,
                "completion_tokens": output_tokens,
                "total_tokens": input_tokens + output_tokens,
            },
        }

    def error(self, refused: Refused) -> Json:
        """An error in OpenAI's form."""
        if refused.status == 429:
            code = refused.code or "rate_limit_exceeded"
            kind = "insufficient_quota" if refused.code else "requests"
        else:
            fallback = "invalid_request_error" if refused.status < 500 else "server_error"
            kind, code = TYPES.get(refused.status, (fallback, ""))
        return {"error": {"message": str(refused), "type": kind, "param": None, "code": code or None}}


def write_embeddings(asked: EmbeddingQuestion, model: str, vectors: Array) -> Json:
    """The body of an answer; `vectors` has one row a text, shape (n, d)."""
    rows: list[JsonValue] = [
        {"object": "embedding", "index": place, "embedding": row.tolist()}
        for place, row in enumerate(vectors)
    ]
    used = sum(map(tokens, asked.input))
    usage: Json = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "data": rows, "model": model, "usage": usage}
