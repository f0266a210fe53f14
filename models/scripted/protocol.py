"""What all files of the server share: answers and errors."""

from dataclasses import dataclass
from reprlib import repr
from typing import Literal

from pydantic import JsonValue, ValidationError

from loadbearing.models.client.types import Request, Stop

Channel = Literal["messages", "chat", "embeddings"]
"""What a request is for."""

Json = dict[str, JsonValue]
"""The body of a request or an answer."""


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
        self.status, self.code, self.retry_after_s = status, code, retry_after_s


@dataclass(frozen=True, slots=True)
class Said:
    """An answer before it is put into a provider's form."""

    text: str
    stop: Stop = "end"


def problem(fault: ValidationError) -> str:
    """The first thing that is wrong, on one line: where, what is needed and what came."""
    first = fault.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}; got {repr(first['input'])}"


def prompt(request: Request) -> str:
    """The whole text of a request, where a `match` of the script is looked for."""
    return "\n".join(message.content for message in request.messages)
