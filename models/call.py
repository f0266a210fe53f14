"""One call to a language model: the request, the reply, and the shape of whatever answers it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant"]


class ModelFault(RuntimeError):
    """A model could not be had or did not answer. Infrastructure: an error, never a failure of the agent."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True)
class Request:
    """All that determines an answer, apart from chance.

    Args:
        model: the model string, `provider/name?setting=value`.
        messages: the conversation so far.
        temperature: None leaves it to the provider.
        max_tokens: the limit of the reply.
    """

    model: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int = 2048

    @cached_property
    def digest(self) -> bytes:
        """Sha256 of the canonical JSON of the request, 32 bytes."""
        body = [self.model, self.temperature, self.max_tokens, [(m.role, m.content) for m in self.messages]]
        return sha256(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()).digest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Args:
        model: the model id the provider named, which need not be the one asked for.
        cached: answered from the call cache; nothing was sent or paid.
    """

    text: str
    input_tokens: int
    output_tokens: int
    model: str
    cached: bool = False


class Backend(Protocol):
    """Something that answers requests: a simulated participant, later a provider's client."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        """Answer one request. The text of the request and the repeat are the only sources of chance.

        Raises:
            ModelFault: no answer could be had.
        """
        ...
