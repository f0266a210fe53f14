"""The model client: every call of every role goes through it, is looked up, sent, counted and saved."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from weakref import WeakValueDictionary

from memtrial.call_purpose import UNSTATED, Purpose
from memtrial.faults import StoreFault
from memtrial.models.client.cache import CallCache
from memtrial.models.client.choices import answer_held
from memtrial.models.client.limits import ProviderSlot, Throttle, Throttles
from memtrial.models.client.shared_calls import ClaimQueue, HeldLock, SharedCalls, ignore_wait
from memtrial.models.client.transport import Bounds, CallTerms, PendingCall, Transport, rank_of
from memtrial.models.client.turn_queue import TurnQueue
from memtrial.models.client.types import (
    REMADE,
    Instead,
    Loads,
    Message,
    ProviderFault,
    Reply,
    Request,
    TalkDigest,
    key_of,
    provider_of,
)
from memtrial.protocols import Backend


@dataclass
class Meter:
    """What some work used, by all its calls: a resumed run reports the same as an uninterrupted one.

    Args:
        cached: those of the calls that were answered from the cache, and cost nothing this time.
        usd: None once a price was not known.
        reported_usd: of it, what did not go through here: an agent's own calls.
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    usd: float | None = 0.0
    reported_usd: float = 0.0

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self.cached += reply.cached
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens
        self.cache_read_tokens += reply.cache_read_tokens
        self.cache_write_tokens += reply.cache_write_tokens
        self.usd = None if self.usd is None or reply.usd is None else self.usd + reply.usd

    def add_reported(self, input_tokens: int, output_tokens: int, usd: float | None, calls: int = 0) -> None:
        """Add what calls took that an agent made by itself; where it reports them, their number is not
        known."""
        self.calls += calls
        self.reported_usd += usd or 0.0
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.usd = None if self.usd is None or usd is None else self.usd + usd


@dataclass(frozen=True, slots=True)
class CallStats:
    """Calls of this session, sent or answered from the call cache, and faults and money.

    Args:
        usd: spent over all sessions of the run, as far as prices are known.
        sent, hours: requests and hours of all sessions; `bounds` are those that the run has.
        faults: requests of this session without an answer, by kind.
    """

    calls: int = 0
    cached: int = 0
    usd: float = 0.0
    max_usd: float | None = None
    unpriced: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    slots_by_provider: Mapping[str, ProviderSlot] = field(default_factory=dict)
    sent: int = 0
    hours: float = 0.0
    bounds: Bounds = Bounds()


@dataclass
class ModelClient:
    """Finds the backend of a model string, asks it through the transport, and saves the answer.

    Args:
        on_wait: told 1 when a request begins to wait for the answer to an equal one that is under way, and -1
            when that is there: whoever asked uses no connection meanwhile.
        is_ending: all trials that are left are under way.
    """

    cache: CallCache
    open_backend: Callable[[str], Backend]
    transport: Transport = field(default_factory=Transport)
    on_wait: Callable[[int], None] = ignore_wait
    is_ending: bool = False
    throttles: Throttles = field(default_factory=Throttles)
    turns: TurnQueue = field(default_factory=TurnQueue)
    _claims: ClaimQueue | None = None
    _backends: dict[str, Backend] = field(default_factory=dict)
    _asking: WeakValueDictionary[bytes, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    _opening: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    _given_up: dict[bytes, ProviderFault] = field(default_factory=dict)
    _cached: int = 0

    async def ask(
        self, request: Request, repeat: int, purpose: Purpose = UNSTATED, terms: CallTerms = CallTerms()
    ) -> Reply:
        """Answer from the cache or from the backend, for a purpose. Two repeats never share an answer.

        Raises:
            ModelFault: no such model, or no answer came.
            HaltFault: nothing more may be sent in this session.
            StoreFault: the answer cannot be saved.
        """
        self.transport.refuse_halted()
        key, model = key_of(request, repeat), request.model
        if provider_of(model) == REMADE:
            backend = self._backends.get(model) or await self._open_backend(model)
            if backend.free:
                return await self._make_again(backend, key, request, repeat, purpose)
        # one at a time for each key: two simultaneous equal calls get one answer, paid once
        async with HeldLock(self._asking.setdefault(key, asyncio.Lock()), self.on_wait):
            kept = self.cache.find(key, purpose)
            if kept is not None:
                return await self._use_kept(kept)
            backend = self._backends.get(model) or await self._open_backend(model)
            if backend.free:
                reply = _at_no_cost(await answer_held(backend, request, repeat))
                self.cache.keep(key, model, reply, purpose)
                return reply
            if key in self._given_up:
                # trials that share an answer share its fault: one round of attempts a session
                raise replace(self._given_up[key])
            shared, most = self.cache.shared, self.transport.max_connections
            throttle = self.throttles.of(provider_of(model), most, shared is not None)
            answer = partial(answer_held, backend, request, repeat)
            rank = rank_of(request, purpose, terms, self.is_ending)
            call = PendingCall(model, key, purpose, answer, rank, terms)
            if shared is not None:
                return await self._ask_shared(shared, throttle, call)
            try:
                return await self.transport.send(self.cache, throttle, call)
            except ProviderFault as fault:
                self._given_up[key] = fault
                raise

    async def _use_kept(self, kept: Reply) -> Reply:
        """An answer that is there needs no connection, and takes its turn beside those that wait for one."""
        self._cached += 1
        if self.throttles.are_busy:
            await self.turns.wait()
        return kept

    async def _make_again(
        self, backend: Backend, key: bytes, request: Request, repeat: int, purpose: Purpose
    ) -> Reply:
        """The answer of a model that makes it of the request alone, so that no equal request waits for it."""
        kept = self.cache.find(key, purpose, remade=True)
        if kept is not None:
            return await self._use_kept(kept)
        reply = _at_no_cost(await answer_held(backend, request, repeat))
        reply = self.cache.count(key, request.model, reply, purpose)
        self._cached += reply.cached
        return reply

    async def _ask_shared(self, shared: SharedCalls, throttle: Throttle, call: PendingCall) -> Reply:
        """Ask what no other worker is asking; else wait for the answer that it brings."""
        key = call.key
        if self._claims is None:
            self._claims = ClaimQueue(
                shared, lambda: self.transport.halted, lambda change: self.on_wait(change)
            )
        claimed = await self._claims.claim(key, lambda: self.cache.find(key) is not None)
        if (kept := self.cache.find(key, call.purpose)) is not None:
            if claimed:  # its answer came just before
                shared.release(key)
            self._cached += 1
            return kept
        if not claimed:
            self.transport.refuse_halted()
        kept = None
        try:
            kept = await self.transport.send(self.cache, throttle, call)
            return kept
        except ProviderFault as fault:
            self._given_up[key] = fault
            raise
        finally:
            if kept is None:
                with suppress(StoreFault):
                    shared.release(key)

    async def _open_backend(self, model: str) -> Backend:
        """The backend, once its library is loaded: that is no time of a request, nor of those in flight."""
        async with self._opening.setdefault(model, asyncio.Lock()):
            if model not in self._backends:
                backend = self.open_backend(model)
                if isinstance(backend, Loads):
                    await asyncio.to_thread(backend.load)
                self._backends[model] = backend
            return self._backends[model]

    async def load(self, model: str) -> None:
        """Open a model before its first request, so that what is wrong with it comes first: ModelFault."""
        await self._open_backend(model)

    def forgive(self) -> None:
        """Allow requests that were given up in this session to be sent again."""
        self._given_up.clear()

    def stats(self) -> CallStats:
        """Calls, faults and money so far."""
        usd, unpriced = self.transport.paid(self.cache)
        return CallStats(
            calls=self.transport.answered,
            cached=self._cached,
            usd=usd,
            max_usd=self.transport.max_usd,
            unpriced=unpriced,
            faults=dict(self.transport.faults),
            slots_by_provider=self.throttles.states(),
            sent=self.cache.sent,
            hours=self.transport.hours,
            bounds=self.transport.bounds,
        )

    async def close(self) -> None:
        for backend in self._backends.values():
            await backend.close()
        self._backends.clear()


def _at_no_cost(reply: Reply) -> Reply:
    return reply if reply.usd == 0 else replace(reply, usd=0.0)


@dataclass
class Caller:
    """A model in one role: what it is asked with, and what it used.

    Args:
        repeat: which of the repeats the calls belong to.
        draw: whose draw the calls of the work in hand are; it is set by `drawing`.
        instead: tuned instructions of structured calls, by `instruction_key` of what they replace.
        purpose, terms: what the calls are for, and how they stand beside others.
    """

    model_client: ModelClient
    model: str
    temperature: float | None = None
    repeat: int = 0
    max_tokens: int | None = 2048
    purpose: Purpose = UNSTATED
    terms: CallTerms = CallTerms()
    draw: ContextVar[str] = field(default_factory=lambda: ContextVar("draw", default=""))
    meter: Meter = field(default_factory=Meter)
    instead: Mapping[str, Instead] = field(default_factory=dict)

    def request(
        self, messages: tuple[Message, ...], choices: tuple[str, ...] = (), begun: TalkDigest | None = None
    ) -> Request:
        """The request that a conversation becomes; the reply is to be one of the choices where there are
        any. `begun` is that of the conversation's requests before."""
        draw = self.draw.get()
        return Request(
            self.model, messages, self.temperature, self.max_tokens, draw, choices=choices, begun=begun
        )

    @contextmanager
    def separate_draw(self, draw: str) -> Iterator[None]:
        """What is asked in this block, and in the tasks it starts, is a draw of its own: it shares no answer
        with an equal request of another draw, and the same one after a resume."""
        before = self.draw.set(draw)
        try:
            yield
        finally:
            self.draw.reset(before)

    async def ask(self, messages: tuple[Message, ...]) -> Reply:
        """Send a conversation, get the next turn. Raises what `ModelClient.ask` raises."""
        return await self.send(self.request(messages))

    async def send(self, request: Request) -> Reply:
        """Send a finished request. Raises what `ModelClient.ask` raises."""
        reply = await self.model_client.ask(request, self.repeat, self.purpose, self.terms)
        self.meter.add(reply)
        return reply
