"""Vectors from a provider through OpenAI's `/embeddings`, as calls of the model client.

A text is a request, and its vector, as JSON, is the reply: cached, retried, counted and paid like every call.
"""

import json
from asyncio import create_task, gather
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import AllowInfNan, BaseModel, Field, Strict, ValidationError

from memtrial.call_purpose import Purpose
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.limits import CONNECT_S, MAX_REPLY_BYTES, READ_S
from memtrial.models.client.types import (
    LOCAL,
    Message,
    ModelFault,
    ProviderFault,
    Reply,
    Request,
    split_model,
)
from memtrial.models.embeddings.embedding import Array, HashingEmbedder
from memtrial.models.providers.http_errors import fault_of_malformed, fault_of_status, one_line
from memtrial.models.providers.provider_table import Reached, known_provider, reach
from memtrial.protocols import Embedder

LONGEST_TEXT = 20_000
"""Characters of a text that are sent: models read some 8,000 tokens, and a raw trajectory can be longer."""
LARGEST = float(np.finfo(np.float32).max)


def open_embedder(name: str, model_client: ModelClient) -> Embedder:
    """The embedder of a name that was checked: `hashing`, or a provider's. Nothing is asked for yet."""
    if name == "hashing":
        return HashingEmbedder()
    return ProviderEmbedder(Caller(model_client, name, purpose=Purpose("embed")))


def check_embedder(name: str, keys: Keys) -> None:
    """Raises ModelFault: no such embedder, or something that it needs is missing. Nothing is sent."""
    if name != "hashing":
        open_provider(name, keys, MAX_REPLY_BYTES)


@dataclass(frozen=True)
class ProviderEmbedder:
    """One embedding model of one provider."""

    caller: Caller

    @property
    def space(self) -> str:
        """Provider, model, and how much of a text is seen."""
        return f"{self.caller.model}, its own dimensions, first {LONGEST_TEXT} characters"

    async def embed(self, texts: Sequence[str]) -> Array:
        """Vectors of shape (n_texts, d). A blank text is the zero vector and is never asked for.

        Raises:
            ModelFault: no answer came, or vectors of several lengths. Others as `ModelClient.ask`.
        """
        # a model may write half of a surrogate pair, which no request can carry
        there = [text for text in texts if text.strip()]
        sent = {text: text[:LONGEST_TEXT].encode("utf-8", "replace").decode() for text in there}
        calls = [create_task(self.caller.ask((Message("user", text),))) for text in sent.values()]
        try:
            replies = await gather(*calls)
        finally:
            for call in calls:
                call.cancel()
        rows = {text: json.loads(reply.text) for text, reply in zip(sent, replies, strict=True)}
        lengths = {len(row) for row in rows.values()} or {1}
        if len(lengths) > 1:
            raise ModelFault(f"{self.caller.model} gave vectors of several lengths: {sorted(lengths)}")
        blank = [0.0] * max(lengths)
        return np.array([rows.get(text, blank) for text in texts], dtype=np.float32).reshape(-1, len(blank))


@dataclass
class EmbeddingBackend:
    """What answers the requests of `ProviderEmbedder`; `keys` are hidden from messages."""

    reached: Reached = field(repr=False)
    name: str
    keys: Keys
    max_reply_bytes: int
    free: ClassVar[bool] = False

    def load(self) -> None:
        """As `Loads.load`."""
        import memtrial.models.providers.anthropic_http  # noqa: F401

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        import httpx2

        url = f"{self.reached.address}{self.reached.provider.embeddings}"
        body = {"model": self.name, "input": [request.messages[-1].text]}
        headers = {"authorization": f"Bearer {self.reached.key}"}
        try:
            answer = await self.client.post(url, json=body, headers=headers)
        except httpx2.HTTPError as fault:
            line = f"no connection to {request.model}: {type(fault).__name__} {fault}"
            raise ProviderFault(one_line(line, self.keys), "connection", heals=True) from fault
        if not answer.is_success:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            raise fault_of_status(answer.status_code, answer.text, headers, request.model, self.keys)
        try:
            return read_answer(answer.content, self.keys)
        except ValueError as fault:
            raise fault_of_malformed(request.model, str(fault), self.keys) from fault

    @cached_property
    def client(self) -> Any:
        """The HTTP client, for one event loop."""
        from httpx2 import Timeout

        from memtrial.models.providers.anthropic_http import open_client

        asked, timeout = f"{self.reached.provider.name}/{self.name}", Timeout(READ_S, connect=CONNECT_S)
        return open_client(self.reached.address, timeout, self.max_reply_bytes, asked)

    async def close(self) -> None:
        if (client := vars(self).pop("client", None)) is not None:
            await client.aclose()


def open_provider(name: str, keys: Keys, max_reply_bytes: int) -> EmbeddingBackend:
    """The backend of an embedding model, ModelFault where it cannot be had. Nothing is sent."""
    provider, model, settings = split_model(name)
    row = known_provider(provider)
    if settings or provider in LOCAL or (row is not None and row.embeddings is None):
        raise ModelFault(
            f"{name!r} makes no vectors; there are hashing, openai/...,"
            " gemini/..., mistral/... and other servers like them, without settings (such as dimensions)"
        )
    return EmbeddingBackend(reach(name, provider, keys), model, keys, max_reply_bytes)


Number = Annotated[float, Strict(), AllowInfNan(False), Field(ge=-LARGEST, le=LARGEST)]


class _EmbeddingRow(BaseModel):
    embedding: list[Number] = Field(min_length=1)


class _Answer(BaseModel):
    data: list[_EmbeddingRow] = Field(min_length=1, max_length=1)
    # a server that leaves these out, or writes something odd, has still answered
    model: object = ""
    usage: object = None


def read_answer(raw: bytes, keys: Keys) -> Reply:
    """The vector of one text as a reply; ValueError where it is not one row of finite numbers."""
    try:
        answer = _Answer.model_validate_json(raw)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc'])) or 'JSON'}: {first['msg']}") from None
    usage = answer.usage if isinstance(answer.usage, dict) else {}
    tokens = usage.get("total_tokens", usage.get("prompt_tokens"))
    return Reply(
        text=json.dumps(answer.data[0].embedding),
        input_tokens=tokens if type(tokens) is int and 0 <= tokens < 2**62 else 0,
        output_tokens=0,
        model=keys.hide(answer.model) if isinstance(answer.model, str) else "",
    )
