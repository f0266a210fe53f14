"""What the server understands of a request, and what it says to it, whichever protocol is spoken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from loadbearing.models.client.types import Request, Stop

Channel = Literal["messages", "chat", "embeddings", "batches", "batch items", "count_tokens", "models"]
"""What a request is for. `batches` are the requests that make, read and cancel batches, `batch items` the
questions inside them."""

Body = Mapping[str, Any]


class ScriptFault(ValueError):
    """A script that cannot be followed: answers or faults that are not what they should be."""


class Refused(Exception):
    """The server answers with an error status: the request was wrong, or the script has it so.

    Args:
        status: the HTTP status.
        code: one word for OpenAI's field `code`; empty for none.
        retry_after_s: how long the client is told to wait, in seconds; None for no word on it.
    """

    def __init__(self, status: int, message: str, code: str = "", retry_after_s: float | None = None) -> None:
        """Keep the status beside the message."""
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the prompt.

    Args:
        marked: the client asks that the prompt up to here be kept in the prompt cache.
    """

    role: str
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was read from a body."""

    request: Request
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """All that was said, system prompt first: what a `match` of the script looks into."""
        return "\n".join(message.content for message in self.request.messages)


@dataclass(frozen=True, slots=True)
class Said:
    """An answer before it is put into a provider's form."""

    text: str
    stop: Stop = "end"


@dataclass(frozen=True, slots=True)
class Usage:
    """What a request used, in tokens of four characters.

    Args:
        fresh: of the prompt, those neither read from nor written to the prompt cache.
    """

    fresh: int
    read: int
    written: int
    output: int


class Dialect(Protocol):
    """How one provider puts questions, answers and errors."""

    def read(self, body: Body, version: str) -> Asked:
        """Understand a question.

        Args:
            version: the API version the client names; empty for none.

        Raises:
            Refused: the provider would not take it.
        """
        ...

    def without_system(self, body: Body) -> Body:
        """The body as a gateway leaves it that loses the system prompt."""
        ...

    def write(self, number: int, model: str, said: Said, usage: Usage) -> dict[str, Any]:
        """The body of an answer."""
        ...

    def error(self, refused: Refused, number: int) -> dict[str, Any]:
        """The body of an error."""
        ...


def request_id(number: int) -> str:
    """The id of the n-th request."""
    return f"req_scripted_{number:06d}"
