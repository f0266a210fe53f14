"""What both protocols and all files of a script share: answers, errors, bodies of requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from reprlib import repr
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from loadbearing.models.client.types import Request, Stop

Channel = Literal["messages", "chat", "embeddings", "batches"]
"""What a request is for."""

Json = dict[str, JsonValue]
"""The body of a request or an answer."""

CHARACTERS = 4
"""The characters of one token."""


class ScriptFault(ValueError):
    """The answers or faults of a script are invalid, or the server cannot start."""


class Refused(Exception):
    """The server answers with an error status: the request is invalid, or the script says so.

    Args:
        code: one word for OpenAI's field `code`; empty for none.
        retry_after_s: how long the client is told to wait, in seconds; None to leave that out.
    """

    def __init__(self, status: int, message: str, code: str = "", retry_after_s: float | None = None) -> None:
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


def parsed(shape: type[FieldsT], body: object) -> FieldsT:
    """The fields of a request.

    Raises:
        Refused: a field is missing or invalid.
    """
    try:
        return shape.model_validate(body)
    except ValidationError as fault:
        raise Refused(400, problem(fault)) from None


def problem(fault: ValidationError) -> str:
    """The first thing that is wrong, on one line: where, what is needed and what came."""
    first = fault.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}; got {repr(first['input'])}"


def _joined(content: object) -> object:
    """One text of its blocks: a client that splits a text into blocks has not changed it."""
    if not isinstance(content, list):
        return content
    return "".join(block["text"] for block in content)


Name = Annotated[str, Field(min_length=1)]
Text = Annotated[str, BeforeValidator(_joined)]
"""A text, or a list of text blocks."""


def prompt(request: Request) -> str:
    """The whole text of a request, system prompt first: where a `match` of the script is looked for."""
    return "\n".join(message.content for message in request.messages)


def tokens(*texts: str) -> int:
    """The tokens of some texts."""
    return sum(map(len, texts)) // CHARACTERS


def read_script(path: Path, form: str, most: int) -> str:
    """The text of a file of answers or faults.

    Args:
        form: what is needed, for messages.
        most: bytes it may have.

    Raises:
        ScriptFault: it is not there, no plain file, too large, or not UTF-8.
    """
    try:
        if path.exists() and not (path.is_file() and path.stat().st_size <= most):
            raise ScriptFault(f"{form}, in a plain file of at most {most // 2**20} MiB; {path} is none")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise ScriptFault(f"{form}; {path} cannot be read: {fault}") from fault
