"""`anthropic/<model>` with the official SDK's headers, by its HTTP client: one request, one answer."""

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from pydantic import JsonValue

from memtrial.models.client.block_text import change_strings
from memtrial.models.client.content_blocks import ToolUse, encode
from memtrial.models.client.keys import Keys
from memtrial.models.client.limits import CONNECT_S, READ_S
from memtrial.models.client.prompt_delivery import fill_blanks, is_verbatim
from memtrial.models.client.types import Kind, Message, ModelFault, ProviderFault, Reply, Request
from memtrial.models.providers.http_errors import (
    fault_of_malformed,
    fault_of_status,
    one_line,
    temperature_refused,
    tokens_refused,
)
from memtrial.models.providers.provider_table import Reached
from memtrial.models.wire import anthropic_messages
from memtrial.models.wire.closed_choice import read_choice, write_schema
from memtrial.models.wire.json_fields import WireFault, take_object

TAKES_TEMPERATURE = {"anthropic-version": "2023-06-01"}
"""An older API version: the SDK's own has no temperature any more."""

PATH = "/v1/messages"

IN_PLACE_OF_NONE = 64_000
"""Sent where a request sets no limit, which this API does not allow; less, where the model refuses it."""

MARKED = '{"type":"ephemeral"}'
"""The mark for the prompt cache, as JSON."""


@dataclass
class AnthropicBackend:
    """One model behind the messages API, by its name there; `keys` are hidden from texts and messages.

    The stable beginning of a conversation is marked for the provider's prompt cache. A temperature is sent
    until the model refuses it; from then on it is left out, and every reply says so. For a limit of tokens
    that it refuses, the one is sent from then on that it names.
    """

    reached: Reached = field(repr=False)
    model: str
    keys: Keys
    max_reply_bytes: int
    takes_temperature: bool = True
    most_tokens: int | None = None
    free: ClassVar[bool] = False

    def load(self) -> None:
        """As `Loads.load`: with it the whole SDK."""
        from anthropic import AsyncAnthropic  # noqa: F401

        import memtrial.models.providers.anthropic_http  # noqa: F401

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        """As `Backend.answer`. A refused temperature, or limit of tokens, is a fault that heals."""
        import aiohttp
        import httpx2

        temperature = request.temperature if self.takes_temperature else None
        limit = request.max_tokens or IN_PLACE_OF_NONE
        limit = limit if self.most_tokens is None else min(limit, self.most_tokens)
        try:
            params = message_params(request, self.model, limit)
        except WireFault as fault:
            raise ModelFault(f"{request.model}: {fault}") from None
        if request.choices:
            params["output_config"] = {
                "format": {"type": "json_schema", "schema": write_schema(request.choices)}
            }
        betas = params.pop(anthropic_messages.BETAS, None)
        if temperature is not None:
            params["temperature"] = temperature
        try:
            sending = encode(params).encode()
        except UnicodeEncodeError:
            line = f"{request.model}: a text holds half a character"
            raise ProviderFault(line, "bad request", heals=False) from None
        try:
            response = await self.sender.post(sending, _write_headers(temperature, betas))
        except (httpx2.HTTPError, aiohttp.ClientError, OSError) as fault:
            kind: Kind = "time-out" if isinstance(fault, httpx2.TimeoutException) else "connection"
            line = f"{request.model}: the connection failed: {one_line(repr(fault), self.keys)}"
            raise ProviderFault(line, kind, heals=True) from None
        if not response.is_success:
            raise self.fault(response, request.model, temperature, limit)
        try:
            sent, body = json.loads(response.request.content), json.loads(response.content)
        except ValueError as fault:
            line = f"{type(fault).__name__}: {fault}"
            raise fault_of_malformed(request.model, line, self.keys) from None
        return read_message(body, sent, request, temperature, self.keys)

    def fault(self, response: Any, asked: str, temperature: float | None, limit: int) -> ProviderFault:
        """What a response of a status that is no success means."""
        status, message = response.status_code, response.text
        refused = temperature_refused(status, message, asked)
        if temperature is not None and refused is not None:
            self.takes_temperature = False
            return refused
        if (lower := tokens_refused(status, message, asked, limit)) is not None:
            self.most_tokens, too_many = lower
            return too_many
        headers = {name.lower(): value for name, value in response.headers.items()}
        return fault_of_status(status, message, headers, asked, self.keys)

    @cached_property
    def sender(self) -> Any:
        """The way to the API, for one event loop. ModelFault: what the SDK sends is no header."""
        from anthropic import AsyncAnthropic, Timeout

        from memtrial.models.providers.anthropic_http import MessageSender, open_client

        timeout, address = Timeout(READ_S, connect=CONNECT_S), self.reached.address
        http = open_client(address, timeout, self.max_reply_bytes, f"anthropic/{self.model}")
        token = self.reached.holder == "ANTHROPIC_AUTH_TOKEN"
        sdk = AsyncAnthropic(
            api_key=None if token else self.reached.key,
            auth_token=self.reached.key if token else None,
            base_url=address,
            http_client=http,
        )
        try:
            return MessageSender.of(http, f"{address}{PATH}", sdk.default_headers)
        except UnicodeEncodeError:
            raise ModelFault("ANTHROPIC_CUSTOM_HEADERS holds a letter that no header has") from None

    async def close(self) -> None:
        if (sender := vars(self).pop("sender", None)) is not None:
            await sender.http.aclose()


def _write_headers(temperature: float | None, betas: JsonValue) -> dict[str, str]:
    """What a request says beside its body."""
    headers = {} if temperature is None else dict(TAKES_TEMPERATURE)
    if isinstance(betas, str):
        headers[anthropic_messages.BETAS_HEADER] = betas
    return headers


def message_params(request: Request, name: str, limit: int | None = None) -> dict[str, JsonValue]:
    """The body of a request, without the temperature; `limit` is of tokens, the request's unless given.

    Blank texts get a placeholder. A request that has no marks for the prompt cache of its own gets one at the
    end of its system prompt, and one at its end where a conversation grows.
    """
    limit = limit or request.max_tokens or IN_PLACE_OF_NONE
    messages = fill_blanks(request.messages)
    if not any(_has_marks(message) for message in messages):
        messages = _mark_stable(messages)
    whole = replace(request, model=name, messages=tuple(messages), temperature=None, max_tokens=limit)
    body = anthropic_messages.write_request(whole)
    # the reply is read as a whole
    body.pop("stream", None)
    return body


def _has_marks(message: Message) -> bool:
    return not isinstance(message.content, str) and any(block.cache for block in message.content)


def _mark_stable(messages: list[Message]) -> list[Message]:
    """The messages with marks for the prompt cache, where what stands above them stays the same."""
    system = [number for number, message in enumerate(messages) if message.role == "system"]
    marked = list(messages)
    if len(messages) - len(system) > 1 and messages[-1].role == "user":
        # the conversation grows at its end: the next request reads this one from the prompt cache
        marked[-1] = _mark(messages[-1])
    if system:
        marked[system[-1]] = _mark(messages[system[-1]])
    return marked


def _mark(message: Message) -> Message:
    """The message with its last block marked as the end of what stays the same."""
    if not message.blocks:
        return message
    *before, last = message.blocks
    return replace(message, content=(*before, replace(last, cache=MARKED)))


def read_message(body: Any, sent: Any, request: Request, temperature: float | None, keys: Keys) -> Reply:
    """A message of the API as a reply, of the JSON that came and was sent; ProviderFault where it is none."""
    try:
        reply = anthropic_messages.read_bare_reply(take_object(body, "the reply"))
    except WireFault as fault:
        raise fault_of_malformed(request.model, f"no message of the API: {fault}", keys) from None
    calls_tools = any(isinstance(block, ToolUse) for block in reply.blocks)
    return replace(
        reply,
        text=keys.hide(read_choice(reply.text) if request.choices else reply.text),
        model=keys.hide(reply.model),
        temperature=temperature,
        verbatim=is_verbatim(request.messages, sent, body),
        # thoughts and the like are no answer, unless a tool's result is to follow them
        blocks=change_strings(reply.blocks, keys.hide) if calls_tools else (),
    )
