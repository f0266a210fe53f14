"""Every provider but Anthropic, through DSPy's provider adapters: one request, one answer, no retries.

DSPy's LM reaches a provider through its bundled lm15 adapters (`dspy.lm15`). They are used directly: the LM
around them adds threads, histories, price look-ups and retries, which the model client has already (1.8 ms a
call, measured). litellm is never imported.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any, ClassVar

from memtrial.models.client.block_text import change_strings
from memtrial.models.client.content_blocks import encode, is_plain
from memtrial.models.client.keys import Keys, is_here
from memtrial.models.client.limits import CONNECT_S, MAX_REPLY_BYTES, READ_S, bound_body
from memtrial.models.client.prompt_delivery import fill_blanks, is_verbatim, to_send
from memtrial.models.client.types import ModelFault, ProviderFault, Reply, Request, Stop
from memtrial.models.providers.choice_paths import PathToken, ask_scored, read_path
from memtrial.models.providers.http_errors import (
    check_counts,
    fault_of_malformed,
    fault_of_status,
    one_line,
    temperature_refused,
    tokens_refused,
)
from memtrial.models.providers.provider_table import Reached
from memtrial.models.wire import openai_chat
from memtrial.models.wire.closed_choice import FIELD, Closing, read_choice, write_grammar, write_schema
from memtrial.models.wire.json_fields import Json, WireFault

MAX_CONNECTIONS = 4096
"""Of lm15's transport. The model client's limit counts; lm15's default of 100 would be a second one."""

BLOCKED = ("content_filter", "content_policy_violation", "promptFeedback", "SAFETY", "PROHIBITED_CONTENT")
"""Codes of errors by which a provider refuses to answer: the model's doing, not a fault."""

TEXTS = ("text", "data")
STOPS: dict[str, Stop] = {"length": "length", "content_filter": "refusal", "tool_call": "tool use"}
"""Why a reply ended, by lm15's word; any other word is an end."""


@dataclass
class CallRecord:
    """lm15's transport for one call: the bytes it sent, the status and headers that came back (names in lower
    case), and a reply of at most `most` bytes.

    Args:
        whole: the messages and settings of a request that is more than texts, which stand in the place of
            those that lm15 wrote.
    """

    inner: Any
    most: int
    asked: str
    whole: Json | None = None
    sent: bytes = b""
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    @asynccontextmanager
    async def stream(self, request: Any) -> AsyncIterator[SimpleNamespace]:
        if self.whole is not None:
            # the names of the limit and the like are lm15's, by the server's dialect
            body = {**self.whole, **json.loads(request.body), "messages": self.whole["messages"]}
            request = replace(request, body=encode(body).encode())
        self.sent = request.body
        async with self.inner.stream(request) as response:
            self.status = response.status
            self.headers = {name.lower(): value for name, value in response.headers}

            async def read() -> bytes:
                return b"".join([piece async for piece in bound_body(aiter(response), self.most, self.asked)])

            # what lm15's adapters need of a response
            names = ("status", "reason", "headers", "http_version")
            yield SimpleNamespace(**{name: getattr(response, name) for name in names}, read=read)


@dataclass
class DspyBackend:
    """One model of one provider, by its name there; `keys` are hidden from texts and messages."""

    reached: Reached = field(repr=False)
    name: str
    keys: Keys
    max_reply_bytes: int = MAX_REPLY_BYTES
    takes_temperature: bool = True
    most_tokens: int | None = None
    _answered: str = ""
    free: ClassVar[bool] = False

    def load(self) -> None:
        """As `Loads.load`."""
        import dspy.lm15  # noqa: F401

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        """As `Backend.answer`. A refused temperature is a fault that heals: from then on none is sent. So is
        a refused limit of tokens, for which the one is sent that the model names.

        A scored request is answered by as many requests as it has choices, and one more.
        """
        if request.scored and request.choices and self.reached.provider.closing == "grammar":
            return await ask_scored(self._ask_once, request)
        return (await self._ask_once(replace(request, scored=False), False))[0]

    async def _ask_once(self, request: Request, cold: bool) -> tuple[Reply, tuple[PathToken, ...]]:
        """The reply to one request; of a scored one also how likely each of its tokens was.

        Args:
            cold: nothing that lies in the server's prompt cache is read.
        """
        from dspy.lm15 import LM15Error

        adapter = copy(self.adapter)
        whole = write_whole(request, self.reached.provider.dialect)
        record = CallRecord(adapter.transport, self.max_reply_bytes, request.model, whole)
        adapter.transport = record
        # read once: another call in flight may learn meanwhile that the model takes none
        temperature, limit = request.temperature if self.takes_temperature else None, request.max_tokens
        if limit is not None and self.most_tokens is not None:
            limit = min(limit, self.most_tokens)
        try:
            limited = replace(request, max_tokens=limit, temperature=temperature)
            asked = request_of(limited, self.name, self.reached.provider.closing, cold)
            response = await adapter.complete(asked)
            reply = read_response(response, record, request, self.keys)
            path = read_path(response.provider_data) if request.scored else ()
            self._answered = reply.model
            if request.choices and self.reached.provider.closing == "schema":
                reply = replace(reply, text=read_choice(reply.text))
            return reply, path
        except LM15Error as fault:
            if fault.provider_code in BLOCKED:
                sent = json.loads(record.sent)
                # such an error names no model
                verbatim = is_verbatim(request.messages, sent, None)
                heat = _find_temperature(sent)
                return Reply(
                    "", 0, 0, self._answered, stop="refusal", temperature=heat, verbatim=verbatim
                ), ()
            raise self._fault_of(
                fault, record, replace(request, temperature=temperature, max_tokens=limit)
            ) from None
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as fault:
            # lm15 takes any JSON for a reply and raises whatever it trips over
            raise self._unreadable(repr(fault), record) from None

    def _fault_of(self, fault: Any, record: CallRecord, sent: Request) -> ProviderFault:
        from dspy.lm15 import ProviderError, TransportError

        asked, message, status = sent.model, str(fault.message), fault.status or 0
        if isinstance(fault, TransportError):
            slow = "Timeout" in type(fault.__cause__).__name__
            line = one_line(f"{asked}: {message}", self.keys)
            return ProviderFault(line, "time-out" if slow else "connection", heals=True)
        if isinstance(fault, ProviderError) and status >= 400:
            refused = temperature_refused(status, message, asked)
            if sent.temperature is not None and refused is not None:
                self.takes_temperature = False
                return refused
            if (lower := tokens_refused(status, message, asked, sent.max_tokens)) is not None:
                self.most_tokens, too_many = lower
                return too_many
            line = f"{fault.provider_code or ''} {message.partition('To fix:')[0]}".strip()
            return fault_of_status(status, line, record.headers, asked, self.keys)
        return self._unreadable(message, record)

    def _unreadable(self, message: str, record: CallRecord) -> ProviderFault:
        """A reply that cannot be read or, where none came, a request that cannot be sent."""
        if 300 <= record.status < 400:  # no error to lm15, which reads the page as a reply
            return fault_of_status(record.status, message, record.headers, record.asked, self.keys)
        if record.headers:
            return fault_of_malformed(record.asked, message, self.keys)
        return ProviderFault(one_line(f"{record.asked}: {message}", self.keys), "bad request", heals=False)

    @cached_property
    def adapter(self) -> Any:
        """lm15's adapter, for one event loop."""
        from dspy.lm15 import AsyncGeminiLM, AsyncOpenAIChatLM

        key, address, dialect = self.reached.key, self.reached.address, self.reached.provider.dialect
        if dialect == "gemini":
            adapter = AsyncGeminiLM(api_key=key, base_url=address)
        else:
            adapter = AsyncOpenAIChatLM(api_key=key, base_url=address, compat=dialect)
        # the class of its transport has no public name, and takes its settings only when it is made
        adapter.transport = type(adapter.transport)(
            connect_timeout=CONNECT_S,
            read_timeout=READ_S,
            write_timeout=READ_S,
            max_connections=MAX_CONNECTIONS,
            # this machine is not reached through a proxy
            trust_env=not is_here(address),
        )
        return adapter

    async def close(self) -> None:
        if (adapter := vars(self).pop("adapter", None)) is not None:
            await adapter.aclose()


def request_of(request: Request, name: str, closing: Closing, cold: bool = False) -> Any:
    """The texts of a request in lm15's words, and the list to which its reply is closed."""
    from dspy.lm15 import Config, Message
    from dspy.lm15 import Request as LmRequest

    system = [m.text for m in request.messages if m.role == "system" and m.text.strip()]
    say = {"user": Message.user, "assistant": Message.assistant}
    schema, extensions = None, None
    if request.choices and closing == "schema":
        schema = {
            "type": "json_schema",
            "name": FIELD,
            "schema": write_schema(request.choices),
            "strict": True,
        }
    elif request.choices:
        extensions = {"grammar": write_grammar(request.choices)} | ({"cache_prompt": False} if cold else {})
    return LmRequest(
        model=name,
        system="\n\n".join(system) or None,
        messages=tuple(say[m.role](to_send(m.text)) for m in request.messages if m.role != "system"),
        config=Config(
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            response_format=schema,
            logprobs=0 if request.scored else None,
            extensions=extensions,
        ),
    )


def write_whole(request: Request, dialect: str) -> Json | None:
    """Messages and settings of a request that is more than texts, as chat completions have them; None for
    texts alone. ModelFault where the provider, or the format, has no words for them."""
    plain = all(is_plain(message.content) and not message.more for message in request.messages)
    if plain and not request.settings:
        return None
    if dialect == "gemini":
        raise ModelFault(f"{request.model} takes texts alone yet, without tools or other settings")
    messages = tuple(fill_blanks(request.messages))
    try:
        body = openai_chat.write_request(
            replace(request, messages=messages, temperature=None, max_tokens=None)
        )
    except WireFault as fault:
        raise ModelFault(f"{request.model}: {fault}") from None
    # the reply is read as a whole
    return {name: value for name, value in body.items() if name not in ("stream", "stream_options")}


def read_response(response: Any, record: CallRecord, request: Request, keys: Keys) -> Reply:
    """lm15's response as a reply; ValueError where what came is no reply of a chat."""
    body, usage, sent = response.provider_data, response.usage, json.loads(record.sent)
    choice = body.get("choices", body.get("candidates"))[0]
    message = choice.get("message", choice.get("content"))
    # Gemini leaves it out where thinking ate up all tokens
    if message is None and choice.get("finishReason") == "MAX_TOKENS":
        message = {}
    model = body.get("model", body.get("modelVersion"))
    read, write = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    check_counts(model, usage.input_tokens, usage.output_tokens, read, write)
    if not isinstance(message.get("content"), (str, list, type(None))):
        raise ValueError("a message is needed")
    parts = response.message.parts
    refused = [part.text for part in parts if part.type == "refusal"]
    # where the reply is closed, lm15 reads its JSON
    said = [encode(part.value) if part.type == "data" else part.text for part in parts if part.type in TEXTS]
    text = "".join(said) or "".join(refused)
    stop = STOPS.get(response.finish_reason, "end")
    # lm15 reads the arguments of a tool, and what it makes of them is not what the model wrote
    blocks = openai_chat.read_reply(body).blocks if message.get("tool_calls") else ()
    thought = (usage.reasoning_tokens or 0) if "candidates" in body else 0
    return Reply(
        keys.hide(text),
        max(0, usage.input_tokens - read - write),
        # Gemini counts thinking beside the answer, the others within it
        usage.output_tokens + thought,
        keys.hide(model),
        cache_read_tokens=read,
        cache_write_tokens=write,
        stop="refusal" if refused else stop,
        temperature=_find_temperature(sent),
        verbatim=is_verbatim(request.messages, sent, body),
        blocks=change_strings(blocks, keys.hide),
    )


def _find_temperature(sent: Any) -> float | None:
    """The temperature in the body that was sent; None where there is none."""
    temperature = sent.get("temperature", sent.get("generationConfig", {}).get("temperature"))
    return None if temperature is None else float(temperature)
