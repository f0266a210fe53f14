"""The two protocols, Anthropic's and OpenAI's: how questions, answers and errors look in each."""

from dataclasses import dataclass
from reprlib import repr
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, ValidationError

from memtrial.models.client.types import Message, Request, Role, Stop
from memtrial.models.embeddings.embedding import Array

Channel = Literal["messages", "chat", "embeddings"]
"""What a request is for."""
Json = dict[str, JsonValue]
"""The body of a request or an answer."""
STRICT = "2026-10-21"
"""From this version of Anthropic's API on, a temperature is rejected."""
ANTHROPIC_STOPS: dict[Stop, str] = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}
OPENAI_STOPS: dict[Stop, str] = {"end": "stop", "length": "length", "refusal": "stop"}
ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
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
    """An answer before it is put into a provider's form."""

    text: str
    stop: Stop = "end"


def _joined(content: object) -> object:
    """One text of its blocks: a client that splits a text into blocks has not changed it."""
    return "".join(block["text"] for block in content) if isinstance(content, list) else content


Name = Annotated[str, Field(min_length=1)]
Text = Annotated[str, BeforeValidator(_joined)]
Limit = Annotated[int, Field(ge=1)]
Fields = TypeVar("Fields", bound=BaseModel)


class _Turn(BaseModel):
    role: Literal["system", "developer", "user", "assistant"]
    content: Text


class _Question(BaseModel):
    model: Name
    messages: Annotated[list[_Turn], Field(min_length=1)]
    temperature: float | None = None
    max_tokens: Limit | None = None
    max_completion_tokens: Limit | None = None
    system: Text | None = None


class _AnthropicQuestion(_Question):
    max_tokens: Limit


class EmbeddingQuestion(BaseModel):
    """A request for embeddings."""

    model: Name
    input: Annotated[list[Name], Field(min_length=1)]
    dimensions: int = 384


def problem(fault: ValidationError) -> str:
    """The first thing that is wrong, on one line: where, what is needed and what came."""
    first = fault.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}; got {repr(first['input'])}"


def parsed(shape: type[Fields], body: object) -> Fields:
    """The fields of a request that are read; raises Refused where one is missing or invalid."""
    try:
        return shape.model_validate(body)
    except ValidationError as fault:
        raise Refused(400, problem(fault)) from None


def tokens(*texts: str) -> int:
    """The tokens of some texts."""
    return sum(map(len, texts)) // CHARACTERS


class AnthropicDialect:
    """`POST /v1/messages`."""

    def read(self, body: Json, version: str) -> Request:
        """Read a question of a client that names this version of the API; Refused where it is invalid."""
        asked = parsed(_AnthropicQuestion, body)
        if not all(turn.content.strip() for turn in asked.messages):
            raise Refused(400, "messages: all messages must have non-empty content")
        if asked.temperature is not None and version >= STRICT:
            raise Refused(400, "temperature: Extra inputs are not permitted")
        system = [Message("system", asked.system)] if asked.system else []
        turns = (Message(ROLES[turn.role], turn.content) for turn in asked.messages)
        return Request(asked.model, (*system, *turns), asked.temperature, asked.max_tokens)

    def write(self, number: int, model: str, said: ScriptedAnswer, input_tokens: int) -> Json:
        """A message; nothing is ever read from a prompt cache."""
        return {
            "id": f"msg_scripted_{number:06d}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": said.text}] if said.text else [],
            "stop_reason": ANTHROPIC_STOPS[said.stop],
            "stop_sequence": None,
            "usage": {
                "input_tokens": input_tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": tokens(said.text),
            },
        }

    def error(self, refused: Refused) -> Json:
        """An error in Anthropic's form; its clients go by the status."""
        return {"type": "error", "error": {"type": "api_error", "message": str(refused)}}


class OpenAIDialect:
    """`POST /v1/chat/completions`; the methods are those of Anthropic's."""

    def read(self, body: Json, version: str) -> Request:  # noqa: ARG002
        asked = parsed(_Question, body)
        messages = tuple(Message(ROLES[turn.role], turn.content) for turn in asked.messages)
        limit = asked.max_completion_tokens or asked.max_tokens
        return Request(asked.model, messages, asked.temperature, limit)

    def write(self, number: int, model: str, said: ScriptedAnswer, input_tokens: int) -> Json:
        refused, output_tokens = said.stop == "refusal", tokens(said.text)
        message: Json = {
            "role": "assistant",
            "content": None if refused else said.text,
            "refusal": (said.text or "I cannot help with that.") if refused else None,
        }
        return {
            "id": f"chatcmpl-scripted-{number:06d}",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": OPENAI_STOPS[said.stop]}],
            "usage": {
                "prompt_tokens": input_tokens,
                "completion_tokens": output_tokens,
                "total_tokens": input_tokens + output_tokens,
            },
        }

    def error(self, refused: Refused) -> Json:
        code = refused.code or None
        return {"error": {"message": str(refused), "type": "api_error", "param": None, "code": code}}


def without_system(body: Json) -> Json:
    """The body of a question as a gateway leaves it that loses the system prompt."""
    turns: list[JsonValue] = [
        turn.model_dump() for turn in parsed(_Question, body).messages if ROLES[turn.role] != "system"
    ]
    return {**{key: value for key, value in body.items() if key != "system"}, "messages": turns}


def write_embeddings(asked: EmbeddingQuestion, model: str, vectors: Array) -> Json:
    """The body of an answer; `vectors` has one row a text, shape (n, d)."""
    rows: list[JsonValue] = [
        {"object": "embedding", "index": place, "embedding": row.tolist()}
        for place, row in enumerate(vectors)
    ]
    used = sum(map(tokens, asked.input))
    usage: Json = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "data": rows, "model": model, "usage": usage}
