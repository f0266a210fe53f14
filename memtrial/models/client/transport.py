"""Paid requests: each is recorded before it is sent, and its answer committed before it is used."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from memtrial.call_purpose import PLAY, CallKind, Purpose
from memtrial.models.client.block_text import change_strings
from memtrial.models.client.cache import CallCache
from memtrial.models.client.limits import POLL_S, Rank, RetryPolicy, Throttle
from memtrial.models.client.prices import PriceTable
from memtrial.models.client.prompt_delivery import to_keep
from memtrial.models.client.shared_calls import SharedCalls
from memtrial.models.client.types import ProviderFault, Reply, Request, provider_of

Answer = Callable[[], Awaitable[Reply]]
"""Sends a request once."""
CROWDED = ("rate limit", "overloaded")
STAGES: Mapping[CallKind, int] = {"collect": 0, "condense": 1, "gate": 1, "memory": 1, "play": 3}
"""Calls of a run by what waits for them: condensing for traces, damage for items, trials for damage."""


@dataclass(frozen=True, slots=True)
class CallTerms:
    """How the calls of a trial stand beside others.

    Args:
        ahead: of a trial whose block was not begun, whether it may still go on; its calls are refused once
            the budget is spent, as those of the preparation are. None: its block was begun.
        first: they go before all others, for what the trial costs is waited for.
        turns: that its conversation may have; 0 where nobody knows.
    """

    ahead: Callable[[], bool] | None = None
    first: bool = False
    turns: int = 0


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A request that is about to be sent.

    Args:
        rank: of those that wait for a connection the lowest goes first.
    """

    model: str
    key: bytes
    purpose: Purpose
    answer: Answer
    rank: Rank = ()
    terms: CallTerms = CallTerms()


def rank_of(
    request: Request, purpose: Purpose, terms: CallTerms = CallTerms(), is_ending: bool = False
) -> Rank:
    """What goes first to the provider: what most others wait for; and of conversations, that others wait for,
    the shortest so far, which have most before them, so that all of them end together. Trials take turns.

    Args:
        is_ending: all trials that are left are under way, so that those with most turns before them go first.
    """
    n_messages = len(request.messages)
    if terms.first:
        return 0, n_messages
    if purpose != PLAY:
        return STAGES.get(purpose.kind, 2), n_messages
    # behind those that have waited since before
    return (STAGES["play"], 1, n_messages // 2 - terms.turns) if is_ending else (STAGES["play"], 0)


class HaltFault(RuntimeError):
    """Nothing more may be sent in this session: it was stopped, or the model changed. Answers are saved."""


class SpentFault(HaltFault):
    """The budget is spent."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a run may use over all its sessions, beside dollars; None: any number.

    Args:
        hours_before: what earlier sessions took of `max_hours`.
    """

    max_calls: int | None = None
    max_hours: float | None = None
    hours_before: float = 0.0

    def bound_reached(self, calls: int, hours: float) -> str:
        """The bound that is reached, in a sentence; empty where none is."""
        if self.max_calls is not None and calls >= self.max_calls:
            return f"budget.max_calls {self.max_calls:,} is reached ({calls:,} requests sent)"
        if self.max_hours is not None and hours >= self.max_hours:
            return f"budget.max_hours {self.max_hours:g} is reached ({hours:.3g} hours over all sessions)"
        return ""


@dataclass
class Transport:
    """Sends requests one attempt at a time, and knows what the session cost.

    Args:
        bounds: on requests and hours; `clock` tells seconds.
        say: called with a line on every fault and every limit that was cut.
        answered, faults: requests of this session with an answer, and those without one by kind.
        halted: why nothing more may be sent; empty while something may.
    """

    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    max_connections: int = 16
    prices: PriceTable | None = None
    max_usd: float | None = None
    bounds: Bounds = Bounds()
    clock: Callable[[], float] = time.monotonic
    say: Callable[[str], None] = lambda _: None
    rng: Random = field(default_factory=Random)
    answered: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    halted: str = ""
    _paid: float | None = None
    _unpriced: int = 0
    _spent_now: float = 0.0
    _known: Mapping[str, str] | None = None
    _seen: dict[str, str] = field(default_factory=dict)
    _begun: float = field(init=False)

    def __post_init__(self) -> None:
        self._begun = self.clock()

    @property
    def hours(self) -> float:
        """Hours that all sessions took by now."""
        return self.bounds.hours_before + (self.clock() - self._begun) / 3600

    def used_up(self, cache: CallCache) -> str:
        """The bound on requests or hours that is reached, in a sentence; empty where none is."""
        return self.bounds.bound_reached(cache.sent, self.hours)

    def halt(self, why: str) -> None:
        """Send nothing more; requests in flight still get their answers."""
        self.halted = self.halted or why

    def refuse_halted(self) -> None:
        """Raise HaltFault if the session was halted."""
        if self.halted:
            raise HaltFault(self.halted)

    def paid(self, cache: CallCache) -> tuple[float, int]:
        """US dollars over all sessions of the run as far as known, and answers without a known price."""
        if self._paid is None or cache.shared is not None:
            self._paid, self._unpriced = cache.spent()
        return self._paid, self._unpriced

    async def send(self, cache: CallCache, throttle: Throttle, call: PendingCall) -> Reply:
        """Ask until there is an answer, and save it.

        Raises ProviderFault where none came, HaltFault or StoreFault where nothing may be sent or it cannot
        be saved.
        """
        attempt, model, key = 0, call.model, call.key
        while True:
            async with throttle.slot(self.refuse_halted, call.rank) as begun:
                provider, shared = provider_of(model), cache.shared
                if shared is not None and (closed_s := shared.rates.closed_s(provider)) > 0:
                    throttle.close_for(closed_s)  # another worker was refused
                    continue
                self._refuse_spent(cache, call, throttle)
                attempt += 1
                send = cache.intend(key, model)
                await cache.flush_together()
                try:
                    reply = await self._ask_once(model, call.answer)
                    self._refuse_other_model(cache, model, reply)
                except ProviderFault as fault:
                    wait_s = self.retry_policy.wait_s(fault, attempt, self.rng)
                    if fault.kind in CROWDED and self._note_refusal(
                        shared, throttle, provider, begun, wait_s or 0.0
                    ):
                        most = "fewer" if shared is not None else f"at most {throttle.state.limit}"
                        self.say(f"{model}: {fault.kind}; {most} requests in flight now")
                    then = "given up" if wait_s is None else f"again in {wait_s:.1f} s"
                    which = f"attempt {attempt} of {self.retry_policy.attempts}"
                    self.say(f"{model}: {fault.kind}, {which}, {then}: {fault}")
                    self.faults[fault.kind] += 1
                    usd = 0.0 if fault.reply is None else self._pay(cache, model, fault.reply)
                    cache.fail(send, fault.kind, str(fault), usd or 0.0)
                    cache.flush()
                    if fault.kind == "other model":
                        self.halt(str(fault))
                        raise HaltFault(str(fault)) from fault
                    if wait_s is None:
                        raise
                else:
                    throttle.note_answer()
                    priced = replace(reply, usd=self._pay(cache, model, reply))
                    self._unpriced += priced.usd is None
                    self.answered += 1  # with its price: others reckon by the mean cost meanwhile
                    cache.keep(key, model, priced, call.purpose, send)
                    await cache.flush_together()
                    return priced
            await self._pause(wait_s)

    @staticmethod
    def _note_refusal(
        shared: SharedCalls | None, throttle: Throttle, provider: str, begun: float, wait_s: float
    ) -> bool:
        """The provider had too many requests; whether the limit was cut, that of all workers where they
        share it."""
        cut = throttle.note_refusal(begun, wait_s)
        if shared is None:
            return cut
        since_s = asyncio.get_running_loop().time() - begun
        return shared.rates.note_refusal(provider, since_s, wait_s)

    async def _pause(self, wait_s: float) -> None:
        """Wait, but stop as soon as the session is halted: a provider may ask for minutes."""
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_s
        while (left_s := until - loop.time()) > 0:
            self.refuse_halted()
            await asyncio.sleep(min(left_s, POLL_S))

    async def _ask_once(self, model: str, answer: Answer) -> Reply:
        timeout_s = self.retry_policy.call_timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                reply = await answer()
        except TimeoutError as fault:
            raise ProviderFault(f"no answer from {model} within {timeout_s:g} s", "time-out", True) from fault
        except RecursionError as fault:
            raise ProviderFault(
                f"{model} answered with JSON that is nested too deeply", "malformed reply", heals=True
            ) from fault
        if not reply.text.strip() and reply.stop in ("end", "tool use") and not reply.blocks:
            # neither an answer nor a refusal: it may be the provider's doing, so it is no score
            raise ProviderFault(f"{model} answered without a text", "empty reply", heals=True, reply=reply)
        return replace(
            reply,
            text=to_keep(reply.text),
            model=to_keep(reply.model),
            blocks=change_strings(reply.blocks, to_keep),
            more="",
        )

    def _refuse_spent(self, cache: CallCache, call: PendingCall, throttle: Throttle) -> None:
        """Stop when the budget is spent, calls in flight counted at their mean cost so far; blocks go on."""
        may_go_on = call.terms.ahead
        if call.purpose == PLAY and may_go_on is None:
            return
        if may_go_on is not None and not may_go_on():
            raise SpentFault("nothing is played ahead any more")
        if reached := self.used_up(cache):
            raise SpentFault(reached)
        if self.max_usd is None:
            return
        usd, _ = self.paid(cache)
        each = self._spent_now / self.answered if self.answered else 0.0
        if usd + throttle.state.active * each >= self.max_usd:
            raise SpentFault(f"the budget of ${self.max_usd:.4g} is spent (${usd:.4g}, and calls in flight)")

    def _refuse_other_model(self, cache: CallCache, asked: str, reply: Reply) -> None:
        if self._known is None or (cache.shared is not None and asked not in self._known):
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

    def _pay(self, cache: CallCache, asked: str, reply: Reply) -> float | None:
        """Count what a reply cost, in US dollars; None where no price is known."""
        usd = None if self.prices is None else self.prices.usd(asked, reply)
        before, _ = self.paid(cache)
        self._paid = before + (usd or 0.0)
        self._spent_now += usd or 0.0
        return usd
