"""What both protocols share: channels, errors, and the fields of requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from loadbearing.models.client.types import Request, Stop

Channel = Literal["messages", "chat", "embeddings", "batches", "batch items", "count_tokens", "models"]
"""What a request is for. `batches` are the requests that make, read and cancel batches, `batch items` the
questions inside them."""

Json = dict[str, JsonValue]
"""The body of a request or an answer."""

CHARACTERS = 4
"""The characters of one token."""


class ScriptFault(ValueError):
    """The answers or faults of a script are invalid, or the server cannot start."""


class Refused(Exception):
    """The server answers with an error status: the request is invalid, or the script says so.

    Args:
        status: the HTTP status.
        code: one word for OpenAI's field `code`; empty for none.
        retry_after_s: how long the client is told to wait, in seconds; None to leave that out.
    """

    def __init__(self, status: int, message: str, code: str = "", retry_after_s: float | None = None) -> None:
        """Keep the status beside the message."""
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Said:
    """An answer before it is put into a provider's form."""

    text: str
    stop: Stop = "end"


class RequestFields(BaseModel):
    """The fields that are read of a request; others are ignored."""

    model_config = ConfigDict(strict=True)


FieldsT = TypeVar("FieldsT", bound=RequestFields)


def parsed(shape: type[FieldsT], body: Json) -> FieldsT:
    """The fields of a request.

    Raises:
        Refused: a field is missing or invalid.
    """
    try:
        return shape.model_validate(body)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Refused(400, f"{where}: {first['msg'].removeprefix('Value error, ')}") from None


def _joined(content: object) -> object:
    """One text of its blocks: a client that splits a text into blocks has not changed it."""
    if not isinstance(content, list):
        return content
    texts: list[str] = []
    for one in content:
        text = one.get("text") if isinstance(one, dict) and one.get("type") == "text" else None
        if not isinstance(text, str):
            raise ValueError("the scripted server reads blocks of type text only")
        if not text:
            raise ValueError("text content blocks must be non-empty")
        texts.append(text)
    return "".join(texts)


def _no_stream(stream: JsonValue) -> JsonValue:
    if stream:
        raise ValueError("the scripted server does not stream; leave stream out")
    return stream


Name = Annotated[str, Field(min_length=1)]
Text = Annotated[str, BeforeValidator(_joined)]
"""A text, or a list of text blocks."""
NoStream = Annotated[JsonValue, AfterValidator(_no_stream)]


def prompt(request: Request) -> str:
    """The whole text of a request, system prompt first: where a `match` of the script is looked for."""
    return "\n".join(message.content for message in request.messages)


def tokens(*texts: str) -> int:
    """The tokens of some texts."""
    return sum(map(len, texts)) // CHARACTERS


def request_id(number: int) -> str:
    """The id of the n-th request."""
    return f"req_scripted_{number:06d}"
