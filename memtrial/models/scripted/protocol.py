"""What the scripted server reads and writes: questions, answers and errors in each provider's form."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from reprlib import repr
from typing import Annotated, Literal, Protocol, TypeVar

from pydantic import BaseModel, Field, JsonValue, ValidationError

from memtrial.models.client.content_blocks import Block, encode, is_plain
from memtrial.models.client.types import Reply, Request, Stop
from memtrial.models.embeddings.embedding import Array
from memtrial.models.wire import anthropic_messages, openai_chat, openai_responses
from memtrial.models.wire.json_fields import WireFault, pack, take_object

Channel = Literal["messages", "chat", "responses", "embeddings"]
"""What a request is for."""
Json = dict[str, JsonValue]
"""The body of a request or an answer."""
STRICT = "2026-10-21"
"""From this version of Anthropic's API on, a temperature is rejected."""
CREATED = 1_790_000_000
"""When every answer was made, in seconds since 1970."""
LEAST = 1e-9
"""The share of what is never said; no log-probability is infinite."""
CHARACTERS = 4
"""The characters of one token."""


class ScriptFault(ValueError):
    """The answers or faults of a script are invalid, or the server cannot start."""


class Refused(Exception):
    """The server answers with an error status: the request is invalid, or the script says so.

    Args:
        code: one word for OpenAI's field `code`; empty for the usual one.
        retry_after_s: how long the client is told to wait, in seconds; None to leave that out.
    """

    def __init__(self, status: int, message: str, code: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after_s = status, code, retry_after_s


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """An answer before it is put into a provider's form.

    Args:
        blocks: all of the answer, where it is more than its text, as when it calls a tool.
        share: how likely it was; None where that was not asked.
    """

    text: str
    stop: Stop = "end"
    blocks: tuple[Block, ...] = ()
    share: float | None = None


Name = Annotated[str, Field(min_length=1)]
Fields = TypeVar("Fields", bound=BaseModel)


class EmbeddingQuestion(BaseModel):
    """A request for embeddings."""

    model: Name
    input: Annotated[list[Name], Field(min_length=1)]
    dimensions: int = 384


def problem(fault: ValidationError) -> str:
    """The first thing that is wrong, on one line: where, what is needed and what came."""
    first = fault.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}; got {repr(first['input'])}"


def parse_fields(shape: type[Fields], body: object) -> Fields:
    """The fields of a request that are read; raises Refused where one is missing or invalid."""
    try:
        return shape.model_validate(body)
    except ValidationError as fault:
        raise Refused(400, problem(fault)) from None


def tokens(*texts: str) -> int:
    """The tokens of some texts."""
    return sum(map(len, texts)) // CHARACTERS


class Dialect(Protocol):
    """One provider's form of questions, answers and errors."""

    def read(self, body: Json, version: str) -> Request:
        """Read a question of a client that names this version of the API; Refused where it is invalid."""

    def write_question(self, request: Request) -> Json:
        """The body of a question."""

    def write(self, number: int, model: str, answer: ScriptedAnswer, input_tokens: int) -> Json:
        """The body of an answer; nothing is ever read from a prompt cache."""

    def error(self, refused: Refused) -> Json:
        """The body of an error; clients go by the status."""


class AnthropicDialect:
    """`POST /v1/messages`."""

    def read(self, body: Json, version: str) -> Request:
        """As `Dialect.read`; the rules are those of the API."""
        request = _read_body(anthropic_messages.read_request, body)
        turns = [message for message in request.messages if message.role != "system"]
        if not turns or request.max_tokens is None:
            missing = "messages: at least one" if not turns else "max_tokens: it"
            raise Refused(400, f"{missing} is needed")
        if not all(message.text.strip() or not is_plain(message.content) for message in turns):
            raise Refused(400, "messages: all messages must have non-empty content")
        if request.temperature is not None and version >= STRICT:
            raise Refused(400, "temperature: Extra inputs are not permitted")
        first = request.messages[0]
        if first.role == "system" and is_plain(first.content) and not first.text:
            return replace(request, messages=request.messages[1:])
        return request

    def write_question(self, request: Request) -> Json:
        """As `Dialect.write_question`."""
        return anthropic_messages.write_request(request)

    def write(self, number: int, model: str, answer: ScriptedAnswer, input_tokens: int) -> Json:
        """As `Dialect.write`."""
        usage = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        more = {"id": f"msg_scripted_{number:06d}", "stop_sequence": None, "usage": usage}
        return anthropic_messages.write_reply(_reply(model, answer, input_tokens, pack(more)))

    def error(self, refused: Refused) -> Json:
        """As `Dialect.error`."""
        return {"type": "error", "error": {"type": "api_error", "message": str(refused)}}


class OpenAIDialect:
    """`POST /v1/chat/completions`."""

    def read(self, body: Json, version: str) -> Request:  # noqa: ARG002
        """As `Dialect.read`."""
        return _with_messages(_read_body(openai_chat.read_request, body))

    def write_question(self, request: Request) -> Json:
        """As `Dialect.write_question`."""
        return openai_chat.write_request(request)

    def write(self, number: int, model: str, answer: ScriptedAnswer, input_tokens: int) -> Json:
        """As `Dialect.write`; a refusal always has words."""
        refusal = (answer.text or "I cannot help with that.") if answer.stop == "refusal" else None
        choice: Json = {"message": {"refusal": refusal}}
        if answer.share is not None:
            told = [(answer.text, math.log(max(answer.share, LEAST))), ("", 0.0)]
            content: list[JsonValue] = [{"token": text, "logprob": logprob} for text, logprob in told]
            choice["logprobs"] = {"content": content}
        more = {"id": f"chatcmpl-scripted-{number:06d}", "created": CREATED, "choices": choice}
        return openai_chat.write_reply(_reply(model, answer, input_tokens, pack(more)))

    def error(self, refused: Refused) -> Json:
        """As `Dialect.error`."""
        code = refused.code or None
        return {"error": {"message": str(refused), "type": "api_error", "param": None, "code": code}}


class ResponsesDialect(OpenAIDialect):
    """`POST /v1/responses`; its errors are those of chat completions."""

    def read(self, body: Json, version: str) -> Request:  # noqa: ARG002
        """As `Dialect.read`."""
        return _with_messages(_read_body(openai_responses.read_request, body))

    def write_question(self, request: Request) -> Json:
        """As `Dialect.write_question`."""
        return openai_responses.write_request(request)

    def write(self, number: int, model: str, answer: ScriptedAnswer, input_tokens: int) -> Json:
        """As `Dialect.write`."""
        more = {"id": f"resp_scripted_{number:06d}", "created_at": CREATED, "error": None}
        return openai_responses.write_reply(_reply(model, answer, input_tokens, pack(more)))


def _read_body(read: Callable[[Json], Request], body: object) -> Request:
    """The request in a body; Refused where it is none."""
    try:
        request = read(take_object(body, "the body"))
        encode([message.describe() for message in request.messages]).encode()
        return request
    except WireFault as fault:
        raise Refused(400, str(fault)) from None
    except UnicodeEncodeError:
        raise Refused(400, "a text holds half a character") from None
    except RecursionError:
        raise Refused(400, "the request is nested too deeply") from None


def _with_messages(request: Request) -> Request:
    if not request.messages:
        raise Refused(400, "messages: at least one is needed")
    return request


def _reply(model: str, answer: ScriptedAnswer, input_tokens: int, more: str) -> Reply:
    return Reply(
        answer.text,
        input_tokens,
        tokens(answer.text),
        model,
        stop=answer.stop,
        blocks=answer.blocks,
        more=more,
    )


def drop_system(request: Request) -> Request:
    """The question as a gateway leaves it that loses the system prompt."""
    kept = (message for message in request.messages if message.role != "system")
    return replace(request, messages=tuple(kept))


def write_embeddings(question: EmbeddingQuestion, model: str, vectors: Array) -> Json:
    """The body of an answer; `vectors` has one row a text, shape (n, d)."""
    rows: list[JsonValue] = [
        {"object": "embedding", "index": place, "embedding": row.tolist()}
        for place, row in enumerate(vectors)
    ]
    used = sum(map(tokens, question.input))
    usage: Json = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "data": rows, "model": model, "usage": usage}
