"""Paid requests: each is recorded before it is sent, and its answer committed before it is used."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol

from loadbearing.models.client.cache import CallCache
from loadbearing.models.client.prompt_delivery import to_keep
from loadbearing.models.client.retry import RetryPolicy
from loadbearing.models.client.throttle import POLL_S, Throttle
from loadbearing.models.client.types import ProviderFault, Reply, Request

PLAY = "play"
"""The purpose of the calls of trials."""
CROWDED = ("rate limit", "overloaded")
Answer = Callable[[Request, int], Awaitable[Reply]]
"""Sends a request once."""


class HaltFault(RuntimeError):
    """Nothing more may be sent in this session: it was stopped, or the model changed. Answers are saved."""


class SpentFault(HaltFault):
    """The budget is spent."""


class Pricing(Protocol):
    """What an answer cost."""

    def usd(self, asked: str, reply: Reply) -> float | None:
        """US dollars; None where no price is known."""
        ...


@dataclass(frozen=True, slots=True)
class Unpriced:
    """No price is known."""

    def usd(self, asked: str, reply: Reply) -> float | None:  # noqa: ARG002
        """Not known."""
        return None


@dataclass(frozen=True, slots=True)
class Call:
    """One request on its way to a provider.

    Args:
        key: under which its answer is kept, 32 bytes.
        purpose: what the answer is for; kept with it.
        answer: sends the request once.
        timeout_s: in place of the retry policy's time-out, for message batches; an intent of an earlier
            session whose batch is still running is then taken over.
    """

    request: Request
    repeat: int
    key: bytes
    purpose: str
    answer: Answer
    timeout_s: float | None = None


@dataclass
class Transport:
    """Sends requests one attempt at a time, and knows what the session cost.

    Args:
        retry_policy: how often and how long one request is tried.
        max_connections: requests in flight to one provider at most.
        prices: what an answer cost.
        max_usd: the budget over all sessions; None for none.
        say: called with a line on every fault and every halved limit.
    """

    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    max_connections: int = 16
    prices: Pricing = field(default_factory=Unpriced)
    max_usd: float | None = None
    say: Callable[[str], None] = lambda _: None
    rng: Random = field(default_factory=Random)
    answered: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    _halted: str = ""
    _paid: list[float] = field(default_factory=list)
    _unpriced: int = 0
    _spent_now: float = 0.0
    _known: Mapping[str, str] | None = None
    _seen: dict[str, str] = field(default_factory=dict)

    def halt(self, why: str) -> None:
        """Send nothing more; requests in flight still get their answers."""
        self._halted = self._halted or why

    def refuse_halted(self) -> None:
        """Check that the session was not halted.

        Raises:
            HaltFault: it was.
        """
        if self._halted:
            raise HaltFault(self._halted)

    @property
    def halted(self) -> str:
        """Why the session was halted; empty while it was not."""
        return self._halted

    def paid(self, cache: CallCache) -> tuple[float, int]:
        """US dollars over all sessions of the run as far as known, and answers without a known price."""
        if not self._paid:
            usd, self._unpriced = cache.spent()
            self._paid.append(usd)
        return self._paid[0], self._unpriced

    async def send(self, cache: CallCache, throttle: Throttle, call: Call) -> Reply:
        """Ask until there is an answer, and save it.

        Raises:
            ProviderFault: no answer after all attempts, or the fault does not heal.
            HaltFault: nothing more may be sent.
            StoreFault: intent or answer cannot be saved.
        """
        attempt, model = 0, call.request.model
        while True:
            async with throttle.slot(self.refuse_halted) as begun:
                self._refuse_spent(cache, call.purpose, throttle)
                attempt += 1
                send = cache.open_send(call.key) if call.timeout_s else None
                if send is None:
                    send = cache.intend(call.key, model)
                    cache.flush()
                try:
                    reply = await self._once(call)
                    self._same_model(cache, model, reply)
                except ProviderFault as fault:
                    wait_s = self._after(fault, attempt, throttle, begun, model)
                    self._note(cache, send, model, fault)
                    cache.flush()
                    if fault.kind == "other model":
                        self.halt(str(fault))
                        raise HaltFault(str(fault)) from fault
                    if wait_s is None:
                        raise
                else:
                    throttle.answered()
                    return self._keep(cache, call, reply, send)
            await self._pause(wait_s)

    async def _pause(self, wait_s: float) -> None:
        """Wait, but stop as soon as the session is halted: a provider may ask for minutes."""
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_s
        while (left_s := until - loop.time()) > 0:
            self.refuse_halted()
            await asyncio.sleep(min(left_s, POLL_S))

    async def _once(self, call: Call) -> Reply:
        timeout_s, model = call.timeout_s or self.retry_policy.call_timeout_s, call.request.model
        try:
            async with asyncio.timeout(timeout_s):
                reply = await call.answer(call.request, call.repeat)
        except TimeoutError as fault:
            said = f"no answer from {model} within {timeout_s:g} s"
            raise ProviderFault(said, "time-out", heals=True) from fault
        except RecursionError as fault:
            said = f"{model} answered with JSON that is nested too deeply"
            raise ProviderFault(said, "malformed reply", heals=True) from fault
        if not reply.text.strip() and reply.stop == "end":
            # neither an answer nor a refusal: it may be the provider's doing, so it is no score
            said = f"{model} answered without a text"
            raise ProviderFault(said, "empty reply", heals=True, reply=reply)
        kept = to_keep(reply.text), to_keep(reply.model)
        return reply if kept == (reply.text, reply.model) else replace(reply, text=kept[0], model=kept[1])

    def _refuse_spent(self, cache: CallCache, purpose: str, throttle: Throttle) -> None:
        """Stop when the budget is spent, except for the trials of a block that has begun.

        A call in flight is counted at the mean cost of a call of this session.
        """
        if self.max_usd is None or purpose == PLAY:
            return
        usd, _ = self.paid(cache)
        each = self._spent_now / self.answered if self.answered else 0.0
        if usd + throttle.state.active * each >= self.max_usd:
            raise SpentFault(f"the budget of ${self.max_usd:.4g} is spent (${usd:.4g}, and calls in flight)")

    def _same_model(self, cache: CallCache, asked: str, reply: Reply) -> None:
        """Check that the same model answers through the whole run."""
        if self._known is None:
            self._known = cache.models_that_answered()
        if not reply.model:
            return  # refused before any model was named
        first = self._known.get(asked) or self._seen.setdefault(asked, reply.model)
        if reply.model != first:
            raise ProviderFault(
                f"{asked} answered as {reply.model!r}, before as {first!r}: the model changed during the run."
                " Trials of two models cannot be compared; name a dated model, and begin a new run",
                "other model",
                heals=False,
                reply=reply,
            )

    def _after(
        self, fault: ProviderFault, attempt: int, throttle: Throttle, begun: float, model: str
    ) -> float | None:
        """Report a fault; the pause before the next attempt, or None for no further one."""
        wait_s = self.retry_policy.wait_s(fault, attempt, self.rng)
        if fault.kind in CROWDED and throttle.refused(begun, wait_s or 0.0):
            self.say(f"{model}: {fault.kind}; at most {throttle.state.limit} requests in flight now")
        then = "given up" if wait_s is None else f"again in {wait_s:.1f} s"
        self.say(f"{model}: {fault.kind}, attempt {attempt} of {self.retry_policy.attempts}, {then}: {fault}")
        return wait_s

    def _note(self, cache: CallCache, send: int, asked: str, fault: ProviderFault) -> None:
        self.faults[fault.kind] += 1
        usd = (self.prices.usd(asked, fault.reply) or 0.0) if fault.reply is not None else 0.0
        self._add(cache, usd)
        cache.fail(send, fault.kind, str(fault), usd)

    def _add(self, cache: CallCache, usd: float) -> None:
        before, _ = self.paid(cache)
        self._paid[0] = before + usd
        self._spent_now += usd

    def _keep(self, cache: CallCache, call: Call, reply: Reply, send: int) -> Reply:
        asked = call.request.model
        priced = replace(reply, usd=self.prices.usd(asked, reply))
        self._add(cache, priced.usd or 0.0)
        self._unpriced += priced.usd is None
        cache.keep(call.key, asked, priced, call.purpose, send)
        cache.flush()
        self.answered += 1
        return priced
