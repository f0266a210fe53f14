"""`anthropic/<model>` through the official SDK: one request, one answer, no retries of its own."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from pydantic import JsonValue

from memtrial.models.client.keys import Keys
from memtrial.models.client.limits import CONNECT_S, READ_S
from memtrial.models.client.prompt_delivery import is_verbatim, to_send
from memtrial.models.client.types import Kind, ProviderFault, Reply, Request
from memtrial.models.providers.http_errors import (
    counted,
    fault_of_status,
    malformed,
    one_line,
    temperature_refused,
    tokens_refused,
)
from memtrial.models.providers.reach import Reached

TAKES_TEMPERATURE = {"anthropic-version": "2023-06-01"}
"""An older API version: the SDK's own has no temperature any more."""

IN_PLACE_OF_NONE = 64_000
"""Sent where a request sets no limit, which this API does not allow; less, where the model refuses it."""

CUT = ("max_tokens", "model_context_window_exceeded")
"""Why a reply was cut short."""


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
        import memtrial.models.providers.anthropic_http  # noqa: F401

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        """As `Backend.answer`. A refused temperature, or limit of tokens, is a fault that heals."""
        from anthropic import AnthropicError

        temperature = request.temperature if self.takes_temperature else None
        limit = request.max_tokens or IN_PLACE_OF_NONE
        limit = limit if self.most_tokens is None else min(limit, self.most_tokens)
        try:
            raw = await self.client.messages.with_raw_response.create(
                **message_params(request, self.model, limit),
                extra_headers=None if temperature is None else TAKES_TEMPERATURE,
                extra_body=None if temperature is None else {"temperature": temperature},
            )
            sent = json.loads(raw.http_response.request.content)
            body = json.loads(raw.http_response.content)
        except (AnthropicError, ValueError) as fault:
            raise self.fault(fault, request.model, temperature, limit) from None
        return read_message(body, sent, request, temperature, self.keys)

    def fault(
        self, fault: Exception, asked: str, temperature: float | None = None, limit: int | None = None
    ) -> ProviderFault:
        """What an error of the SDK means."""
        from anthropic import APIConnectionError, APIStatusError, APITimeoutError

        if isinstance(fault, APIStatusError):
            said = json.dumps(fault.body) if isinstance(fault.body, (dict, list)) else fault.response.text
            refused = temperature_refused(fault.status_code, said, asked)
            if temperature is not None and refused is not None:
                self.takes_temperature = False
                return refused
            if (lower := tokens_refused(fault.status_code, said, asked, limit)) is not None:
                self.most_tokens, too_many = lower
                return too_many
            headers = {name.lower(): value for name, value in fault.response.headers.items()}
            return fault_of_status(fault.status_code, said, headers, asked, self.keys)
        if isinstance(fault, APIConnectionError):
            if isinstance(fault.__cause__, ProviderFault):
                return fault.__cause__
            cause = one_line(repr(fault.__cause__ or fault), self.keys)
            kind: Kind = "time-out" if isinstance(fault, APITimeoutError) else "connection"
            return ProviderFault(f"{asked}: the connection failed: {cause}", kind, heals=True)
        if isinstance(fault, UnicodeEncodeError):
            return ProviderFault(f"{asked}: a text holds half a character", "bad request", heals=False)
        return malformed(asked, f"{type(fault).__name__}: {fault}", self.keys)

    @cached_property
    def client(self) -> Any:
        """The SDK's client, for one event loop."""
        from anthropic import AsyncAnthropic, Timeout

        from memtrial.models.providers.anthropic_http import open_client

        timeout, address = Timeout(READ_S, connect=CONNECT_S), self.reached.address
        token = self.reached.holder == "ANTHROPIC_AUTH_TOKEN"
        return AsyncAnthropic(
            api_key=None if token else self.reached.key,
            auth_token=self.reached.key if token else None,
            base_url=address,
            max_retries=0,
            timeout=timeout,
            http_client=open_client(address, timeout, self.max_reply_bytes, f"anthropic/{self.model}"),
        )

    async def close(self) -> None:
        if (client := vars(self).pop("client", None)) is not None:
            await client.close()


def message_params(request: Request, name: str, limit: int | None = None) -> dict[str, JsonValue]:
    """The body of a request, without the temperature; `limit` is of tokens, the request's unless given."""
    limit = limit or request.max_tokens or IN_PLACE_OF_NONE
    system = [m.content for m in request.messages if m.role == "system" and m.content.strip()]
    turns = [m for m in request.messages if m.role != "system"]
    messages: list[JsonValue] = [{"role": m.role, "content": to_send(m.content)} for m in turns]
    if len(turns) > 1 and turns[-1].role == "user":
        # the conversation grows at its end: the next request reads this one from the prompt cache
        messages[-1] = {"role": "user", "content": _cached([to_send(turns[-1].content)])}
    params: dict[str, JsonValue] = {"model": name, "max_tokens": limit, "messages": messages}
    return params | {"system": _cached(system)} if system else params


def _cached(texts: list[str]) -> list[JsonValue]:
    """Blocks of text, the last one marked as the end of what stays the same."""
    blocks: list[JsonValue] = [{"type": "text", "text": text} for text in texts[:-1]]
    return [*blocks, {"type": "text", "text": texts[-1], "cache_control": {"type": "ephemeral"}}]


def read_message(body: Any, sent: Any, request: Request, temperature: float | None, keys: Keys) -> Reply:
    """A message of the API as a reply, of the JSON that came and was sent; ProviderFault where it is none."""
    try:
        blocks, usage = body["content"], body["usage"]
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        cached = [usage.get(f"cache_{what}_input_tokens") or 0 for what in ("read", "creation")]
        tokens = counted(body["model"], usage["input_tokens"], usage["output_tokens"], *cached)
        stop = body.get("stop_reason") or ""
        if type(blocks) is not list or not isinstance(stop, str):
            raise TypeError("content is a list, and stop_reason a word")
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise malformed(request.model, f"no message of the API: {fault!r}", keys) from None
    return Reply(
        text=keys.hide(text),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        model=keys.hide(body["model"]),
        cache_read_tokens=tokens[2],
        cache_write_tokens=tokens[3],
        stop="refusal" if stop == "refusal" else "length" if stop in CUT else "end",
        temperature=temperature,
        verbatim=is_verbatim(request.messages, sent, body),
    )
