"""OpenAI's protocol: chat, embeddings and the list of models."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadbearing.models.client.types import Message, Request, Role, Stop
from loadbearing.models.embeddings.embedding import Array
from loadbearing.models.scripted.prompt_cache import tokens
from loadbearing.models.scripted.protocol import Asked, Block, Body, Refused, Said, Usage

ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
STOPS: dict[Stop, str] = {"end": "stop", "length": "length", "refusal": "stop"}
NO_LIMIT = 1_000_000
CREATED = 1_790_000_000
TYPES = {401: ("authentication_error", "invalid_api_key"), 404: ("invalid_request_error", "model_not_found")}


@dataclass(frozen=True, slots=True)
class OpenAIDialect:
    """`POST /v1/chat/completions`."""

    def read(self, body: Body, version: str) -> Asked:  # noqa: ARG002
        """Understand a question.

        Raises:
            Refused: a field is missing or wrong.
        """
        model, given = _model(body), body.get("messages")
        if not isinstance(given, list) or not given:
            raise Refused(400, "'messages' needs at least one message")
        if body.get("stream"):
            raise Refused(400, "the scripted server does not stream; leave 'stream' out")
        if body.get("n") not in (None, 1):
            raise Refused(400, "the scripted server gives one choice; leave 'n' out")
        messages = tuple(_message(one, f"messages.[{place}]") for place, one in enumerate(given))
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or NO_LIMIT
        if not isinstance(limit, int) or limit < 1:
            raise Refused(400, "'max_tokens' is a whole number from 1")
        temperature = body.get("temperature")
        if temperature is not None and not (isinstance(temperature, int | float) and 0 <= temperature <= 2):
            raise Refused(400, "'temperature' is between 0 and 2")
        blocks = tuple(Block(message.role, message.content) for message in messages)
        return Asked(Request(model, messages, temperature, limit), blocks)

    def without_system(self, body: Body) -> Body:
        """The body without its system messages."""
        kept = [one for one in body["messages"] if one["role"] not in ("system", "developer")]
        return {**body, "messages": kept}

    def write(self, number: int, model: str, said: Said, usage: Usage) -> dict[str, Any]:
        """A chat completion with one choice."""
        refused = said.stop == "refusal"
        prompt = usage.fresh + usage.read + usage.written
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
                "prompt_tokens": prompt,
                "completion_tokens": usage.output,
                "total_tokens": prompt + usage.output,
                "prompt_tokens_details": {"cached_tokens": usage.read},
            },
        }

    def error(self, refused: Refused, number: int) -> dict[str, Any]:  # noqa: ARG002
        """An error in OpenAI's form."""
        if refused.status == 429:
            code = refused.code or "rate_limit_exceeded"
            kind = "insufficient_quota" if refused.code else "requests"
        else:
            fallback = "invalid_request_error" if refused.status < 500 else "server_error"
            kind, code = TYPES.get(refused.status, (fallback, ""))
        return {"error": {"message": str(refused), "type": kind, "param": None, "code": code or None}}


def texts_to_embed(body: Body) -> tuple[str, tuple[str, ...]]:
    """The model and the texts of a request for embeddings.

    Raises:
        Refused: a field is missing or wrong.
    """
    model, given = _model(body), body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise Refused(400, "'input' is a text or a list of texts")
    if not all(texts):
        raise Refused(400, "'input' cannot hold an empty text")
    return model, tuple(texts)


def dimensions_of(body: Body, default: int) -> int:
    """The length of the vectors that are asked for.

    Raises:
        Refused: it is no length.
    """
    asked = body.get("dimensions", default)
    if not isinstance(asked, int) or not 1 <= asked <= 8192:
        raise Refused(400, "'dimensions' is a whole number from 1 to 8192")
    return asked


def write_embeddings(model: str, texts: Sequence[str], vectors: Array, body: Body) -> dict[str, Any]:
    """The body of an answer, as lists of numbers or as base64 of little-endian float32."""
    packed = body.get("encoding_format") == "base64"
    used = sum(tokens(text) for text in texts)
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": place, "embedding": _pack(row) if packed else row.tolist()}
            for place, row in enumerate(vectors)
        ],
        "model": model,
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def write_models(names: Sequence[str]) -> dict[str, Any]:
    """The list of models, with the fields of both providers: they share the path."""
    return {
        "object": "list",
        "data": [write_model(name) for name in names],
        "has_more": False,
        "first_id": names[0] if names else None,
        "last_id": names[-1] if names else None,
    }


def write_model(name: str) -> dict[str, Any]:
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


def _model(body: Body) -> str:
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise Refused(400, "you must provide a model parameter")
    return model


def _message(one: object, where: str) -> Message:
    if not isinstance(one, dict) or one.get("role") not in ROLES:
        raise Refused(400, f"'{where}.role' is one of {', '.join(ROLES)}")
    content = one.get("content")
    if content is None and one["role"] == "assistant":
        content = ""
    if isinstance(content, list):
        if not all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in content):
            raise Refused(400, f"'{where}.content': the scripted server reads parts of type text alone")
        content = "".join(part["text"] for part in content)
    if not isinstance(content, str):
        raise Refused(400, f"'{where}.content' is a text or a list of parts")
    return Message(ROLES[one["role"]], content)
