"""Every provider but Anthropic, through the client of DSPy's LM: one request, one answer, no retries.

DSPy's LM speaks to a provider by its bundled lm15 adapters. They are asked directly: the LM around them adds
threads, histories, price look-ups and retries, all of them the model client's (1.8 ms a call, measured).
litellm is never imported.
"""

from __future__ import annotations

import asyncio
import json
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from loadbearing.models.client.keys import Keys, is_here
from loadbearing.models.client.prompt_delivery import is_verbatim, to_send
from loadbearing.models.client.reply_size import MAX_REPLY_BYTES, bounded
from loadbearing.models.client.types import ProviderFault, Reply, Request, Stop
from loadbearing.models.providers.http_errors import (
    fault_of_status,
    malformed,
    one_line,
    refuses_temperature,
    without_temperature,
)
from loadbearing.models.providers.openai_compatible import Reached

CONNECT_S = 30.0
READ_S = 3700.0
"""Seconds without a byte; longer than the model client may be told to wait, which is an hour."""

MAX_CONNECTIONS = 4096
"""Of lm15's client. The model client's limit counts; lm15's own of 100 would be a second one nobody sees."""

BLOCKED = ("content_filter", "content_policy_violation", "promptFeedback", "SAFETY", "PROHIBITED_CONTENT")
"""Codes of errors by which a provider refuses to answer what it was asked: the model's doing, not a fault."""


@dataclass
class Dialect:
    """What one call asked for and put on the wire, and the headers that came back (names in lower case)."""

    asked: str = ""
    sent: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


EXCHANGE: ContextVar[Dialect] = ContextVar("EXCHANGE")
"""The exchange of the running call: lm15's transport knows requests, not who asked for them."""


@dataclass
class Tap:
    """lm15's transport, noting what passes, which is bounded.

    Args:
        most: bytes of a reply.
    """

    inner: Any
    most: int

    def stream(self, request: Any) -> Any:
        """One request, as the transport below sends it."""
        return _Tapped(self.inner.stream(request), request, EXCHANGE.get(), self.most)


@dataclass
class _Tapped:
    inner: Any
    request: Any
    exchange: Dialect
    most: int

    async def __aenter__(self) -> Any:
        from dspy._vendor.lm15.transports import AsyncTransportResponse

        self.exchange.sent = self.request.body
        response = await self.inner.__aenter__()
        self.exchange.headers = {name.lower(): value for name, value in response.headers}

        async def release(_: bool) -> None:
            await response.aclose()

        return AsyncTransportResponse(
            status=response.status,
            reason=response.reason,
            headers=response.headers,
            http_version=response.http_version,
            chunks=bounded(aiter(response), self.most, self.exchange.asked),
            release=release,
        )

    async def __aexit__(self, *raised: object) -> None:
        await self.inner.__aexit__(*raised)


@dataclass
class DspyBackend:
    """One model of one provider.

    Args:
        reached: where the provider is, its dialect and the key.
        name: the model's name there.
        keys: what is hidden from texts and messages.
        max_reply_bytes: larger replies are faults.
    """

    reached: Reached = field(repr=False)
    name: str
    keys: Keys
    max_reply_bytes: int = MAX_REPLY_BYTES
    takes_temperature: bool = True
    _answered: str = ""
    _adapter: Any = None
    _tap: Tap | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def free(self) -> bool:
        """An answer is paid for, or at least waited for."""
        return False

    async def ready(self) -> None:
        """Load lm15 and build its adapter."""
        self.adapter()

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        """Send one request, once.

        Raises:
            ProviderFault: it brought no answer. Where the model refused the temperature, sending the same
                request again leaves it out.
        """
        from dspy.lm15 import LM15Error

        exchange = Dialect(request.model)
        noted = EXCHANGE.set(exchange)
        # what this call sends: others in flight may learn meanwhile that none is taken
        temperature = request.temperature if self.takes_temperature else None
        try:
            response = await self.adapter().complete(request_of(request, self.name, temperature))
            reply = read_response(response, exchange, request, self.keys)
            self._answered = reply.model
            return reply
        except LM15Error as fault:
            return self._refused_or_raise(fault, exchange, request, temperature)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as fault:
            # lm15 reads any JSON as a reply and stumbles over what is none
            if not exchange.headers:
                said = one_line(f"{request.model}: {fault}", self.keys)
                raise ProviderFault(said, "bad request", heals=False) from None
            raise malformed(request.model, repr(fault), self.keys) from None
        finally:
            EXCHANGE.reset(noted)

    def _refused_or_raise(
        self, fault: Any, exchange: Dialect, request: Request, temperature: float | None
    ) -> Reply:
        from dspy.lm15 import ProviderError, TransportError

        said = str(fault.message)
        if fault.provider_code in BLOCKED:
            sent = json.loads(exchange.sent)
            verbatim = is_verbatim(request.messages, sent, None, "")
            # such an error names no model
            reply = Reply("", 0, 0, self._answered, stop="refusal", verbatim=verbatim)
            return replace(reply, temperature=_temperature(sent))
        if isinstance(fault, TransportError):
            slow = "Timeout" in type(fault.__cause__).__name__
            line = one_line(f"{request.model}: {said}", self.keys)
            raise ProviderFault(line, "time-out" if slow else "connection", heals=True) from None
        status = fault.status if fault.status is not None else 0
        if isinstance(fault, ProviderError) and status >= 400:
            if temperature is not None and refuses_temperature(status, said):
                self.takes_temperature = False
                raise without_temperature(request.model) from None
            told = f"{fault.provider_code or ''} {said.partition('To fix:')[0]}".strip()
            raise fault_of_status(status, told, exchange.headers, request.model, self.keys) from None
        if exchange.headers:
            raise malformed(request.model, said, self.keys) from None
        raise ProviderFault(
            one_line(f"{request.model}: {said}", self.keys), "bad request", heals=False
        ) from None

    def adapter(self) -> Any:
        """lm15's adapter of the running loop: connections cannot move from one loop to another."""
        loop = asyncio.get_running_loop()
        if self._adapter is None or self._loop is not loop:
            from dspy._vendor.lm15.transports import StdlibAsyncTransport
            from dspy.lm15 import AsyncGeminiLM, AsyncOpenAIChatLM

            self._tap = Tap(
                StdlibAsyncTransport(
                    connect_timeout=CONNECT_S,
                    read_timeout=READ_S,
                    write_timeout=READ_S,
                    max_connections=MAX_CONNECTIONS,
                    # what is on this machine is not asked for through a proxy
                    trust_env=not is_here(self.reached.address),
                ),
                self.max_reply_bytes,
            )
            wires = {"api_key": self.reached.key, "base_url": self.reached.address, "transport": self._tap}
            if self.reached.dialect == "gemini":
                self._adapter = AsyncGeminiLM(**wires)
            else:
                self._adapter = AsyncOpenAIChatLM(**wires, compat=self.reached.dialect)
            self._loop = loop
        return self._adapter

    async def close(self) -> None:
        """Close the connections of the running loop."""
        tap, self._tap, self._adapter = self._tap, None, None
        if tap is not None and self._loop is asyncio.get_running_loop():
            await tap.inner.aclose()


def request_of(request: Request, name: str, temperature: float | None) -> Any:
    """The request in lm15's words."""
    from dspy.lm15 import Config, Message
    from dspy.lm15 import Request as LmRequest

    system = [m.content for m in request.messages if m.role == "system" and m.content.strip()]
    say = {"user": Message.user, "assistant": Message.assistant}
    return LmRequest(
        model=name,
        system="\n\n".join(system) or None,
        messages=tuple(say[m.role](to_send(m.content)) for m in request.messages if m.role != "system"),
        config=Config(max_tokens=request.max_tokens, temperature=temperature),
    )


def read_response(response: Any, exchange: Dialect, request: Request, keys: Keys) -> Reply:
    """lm15's response as a reply.

    Raises:
        ValueError: what came is no reply of a chat.
    """
    body, usage, sent = response.provider_data, response.usage, json.loads(exchange.sent)
    choices = body.get("choices", body.get("candidates"))
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ValueError("no choices")
    message = choices[0].get("message", choices[0].get("content"))
    # Gemini leaves it out where thinking ate up all tokens
    if not isinstance(message, dict) and choices[0].get("finishReason") != "MAX_TOKENS":
        raise ValueError("a choice without a message")
    if not isinstance((message or {}).get("content"), (str, list, type(None))):
        raise ValueError("content is a text")
    model = body.get("model", body.get("modelVersion"))
    read, write = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    counts = (usage.input_tokens, usage.output_tokens, read, write)
    if not isinstance(model, str) or not model:
        raise ValueError("no model id")
    if any(type(n) is not int or n < 0 for n in counts):
        raise ValueError("no count of tokens")
    parts = response.message.parts
    refused = [part.text for part in parts if part.type == "refusal"]
    text = "".join(part.text for part in parts if part.type == "text") or "".join(refused)
    stop: Stop = {"length": "length", "content_filter": "refusal"}.get(response.finish_reason, "end")  # type: ignore[assignment]
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
        temperature=_temperature(sent),
        verbatim=is_verbatim(request.messages, sent, body, text),
    )


def _temperature(sent: Any) -> float | None:
    told = sent.get("temperature", sent.get("generationConfig", {}).get("temperature"))
    return None if told is None else float(told)
