"""The one door: every call of every role goes through it, is looked up, answered, counted and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from weakref import WeakValueDictionary

from models.cache import CallCache
from models.call import Backend, Message, ModelFault, Reply, Request


@dataclass
class Meter:
    """What a stretch of work used.

    Args:
        calls: all calls, those answered from the cache among them.
        cached: calls answered from the cache: nobody paid for them this time.
        input_tokens, output_tokens: of all calls, so that a resumed run reports what one go would have.
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        self.calls += 1
        self.cached += reply.cached
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens


@dataclass
class Door:
    """Finds the backend of a model string, asks it, and keeps what it said.

    Args:
        cache: where answers are kept.
        open_backend: model string → backend; raises ModelFault for a string it cannot open.
    """

    cache: CallCache
    open_backend: Callable[[str], Backend]
    _backends: dict[str, Backend] = field(default_factory=dict)
    _asking: WeakValueDictionary[bytes, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def backend(self, model: str) -> Backend:
        """The backend of a model string, opened once.

        Raises:
            ModelFault: no such model.
        """
        found = self._backends.get(model)
        if found is None:
            found = self._backends[model] = self.open_backend(model)
        return found

    async def ask(self, request: Request, repeat: int) -> Reply:
        """Answer from the cache or from the backend. Two repeats never share an answer.

        Raises:
            ModelFault: no answer could be had.
        """
        key = sha256(request.digest + repeat.to_bytes(8, "big", signed=True)).digest()
        # one at a time for each key: two that ask the same at once get one answer, paid once
        async with self._asking.setdefault(key, asyncio.Lock()):
            found = self.cache.find(key)
            if found is not None:
                return found
            reply = await self.backend(request.model).answer(request, repeat)
            self.cache.keep(key, request.model, reply)
            return reply


@dataclass
class Caller:
    """A model in one role: what it is asked with, and what it used.

    Args:
        door: the door all calls pass.
        model: the model string.
        temperature: None leaves it to the provider.
        repeat: which of the repeats the calls belong to.
    """

    door: Door
    model: str
    temperature: float | None = None
    repeat: int = 0
    max_tokens: int = 2048
    meter: Meter = field(default_factory=Meter)

    async def ask(self, messages: tuple[Message, ...]) -> Reply:
        """Send a conversation, get the next turn.

        Raises:
            ModelFault: no answer could be had.
        """
        request = Request(self.model, messages, self.temperature, self.max_tokens)
        reply = await self.door.ask(request, self.repeat)
        self.meter.add(reply)
        return reply


def split_model(model: str) -> tuple[str, str, dict[str, str]]:
    """`provider/name?k=v&k=v` → provider, name, settings.

    Raises:
        ModelFault: the string has another shape.
    """
    address, _, query = model.partition("?")
    provider, slash, name = address.partition("/")
    if not (slash and provider and name):
        raise ModelFault(f"a model is named provider/name, for example simulated/reader; got {model!r}")
    settings = {}
    for pair in filter(None, query.split("&")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise ModelFault(f"a setting of a model is written key=value; got {pair!r} in {model!r}")
        if key in settings:
            raise ModelFault(f"a setting of a model is given once; {key!r} stands twice in {model!r}")
        settings[key] = value
    return provider, name, settings
