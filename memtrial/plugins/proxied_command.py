"""A command as an agent of ours: it does each task in a process and a folder of its own, and reaches its
provider through a proxy of ours alone, which keeps, counts and bounds what it asks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from memtrial.agents.episode import AgentFault
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.commands.command_spec import CommandSpec
from memtrial.commands.command_trial import CommandTask, play_command, run_beside
from memtrial.commands.process_order import CommandFault
from memtrial.commands.sandbox import Sandbox
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.seen_requests import see_request
from memtrial.delivery.shown_texts import ShownText, list_shown
from memtrial.delivery.span_items import SpanItems
from memtrial.delivery.text_delivery import Requests, expect_text, prove_absence
from memtrial.faults import StoreFault
from memtrial.models.client.transport import SpentFault
from memtrial.models.client.types import ModelFault
from memtrial.protocols import AskModel
from memtrial.proxy.exchange import Exchange
from memtrial.proxy.exchange_store import ExchangeStore
from memtrial.proxy.proxy_account import ProxyAccount
from memtrial.proxy.proxy_session import ProxySession, Rewrite, SessionTerms, leave
from memtrial.proxy.span_rewrite import SpanRewrite
from memtrial.worlds.world import Outcome, Task, Usage

if TYPE_CHECKING:
    from memtrial.proxy.loopback_proxy import Proxy

ENDING_S = 5.0
"""How long it is waited for requests whose command was ended."""
OF_THE_PROVIDER = (401, 402, 403, 408, 409, 429)
"""Statuses of a provider that are no fault of the request; so are those from 500."""
OF_THE_REQUEST = (404, 413)
"""Statuses by which the proxy refuses a request for itself; clients try paths that they can do without."""
UNOPENED = "no run has opened a proxy for this command; play it by `memtrial run`, or `memtrial.trial`"


@dataclass
class CommandBench:
    """What the commands of a run share.

    Args:
        store: keeps every request.
        sandbox: what holds the commands.
        ended: requests that have ended, by the name of their session; `watch` fills it.
    """

    proxy: Proxy
    store: ExchangeStore
    ended: dict[str, list[Exchange]] = field(default_factory=dict)
    sandbox: Sandbox = Sandbox()
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @contextmanager
    def open_session(self, rewrite: Rewrite = leave) -> Iterator[ProxySession]:
        """A session of the proxy for one trial."""
        session = self.proxy.open_session(SessionTerms(f"trial {next(self._numbers)}", rewrite=rewrite))
        self.ended[session.terms.name] = []
        try:
            yield session
        finally:
            session.close()
            del self.ended[session.terms.name]


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The memory that a command has in every trial, and puts between marks.

    Args:
        items: of the text, as they stand between the marks.
    """

    text: str
    items: tuple[str, ...]
    marks: MemoryMarks

    def rewrite(self, shown: tuple[str, ...]) -> SpanRewrite:
        """What a session does in a trial that shows these items."""
        return SpanRewrite(self.marks, SpanItems(self.items, shown))


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """Plays a task by a command.

    Args:
        marked: where its memory stands between marks; else None.
        bench: None where nothing is to be played, only looked at.
    """

    spec: CommandSpec
    seed: int
    name: str
    digests: tuple[str, ...] = ()
    marked: MarkedText | None = None
    bench: CommandBench | None = None

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:  # noqa: ARG002
        """Do one task, and report its outcome.

        Raises:
            AgentFault: nobody can say how it went; or marks could not be followed, or memory was given that
                the trial shows none of.
            ModelFault: its last request was not answered, by no fault of its own, or none was.
            SpentFault, StoreFault: nothing more may be sent in this run.
        """
        if self.bench is None:
            raise AgentFault(UNOPENED)
        await world.begin()
        due = {item: expect_text(item) for item in filter(None, map(str.strip, memory.items))}
        spans = self.marked.rewrite(memory.items) if self.marked else None
        with self.bench.open_session(spans or leave) as session:
            ended = self.bench.ended[session.terms.name]
            given = CommandTask(
                task,
                self.marked.text if self.marked else memory.text,
                self.seed + world.repeat,
                session.anthropic_url,
                session.environment(),
                self.bench.sandbox,
            )
            try:
                outcome: Outcome | CommandFault = await run_beside(partial(play_command, self.spec, given))
            except CommandFault as fault:
                outcome = fault
            finally:
                session.close()
                await _wait_until_ended(session.account)
                if session.account.calls:
                    world.note_usage(usage_of(session.account), session.account.calls)
            self._refuse_halted(ended)
            self._refuse_marks(spans, task)
            calls = [exchange for exchange in ended if is_call(exchange)]
            if not (isinstance(outcome, Outcome) and outcome.success):
                refuse_unanswered(ended)
            if isinstance(outcome, CommandFault):
                raise AgentFault(f"agent {self.name}, task {task.id}: {outcome}") from outcome
            shown = [self._read_shown(exchange) for exchange in calls]
            self._refuse_leak(shown, task, bool(due))
            for exchange, texts in zip(calls, shown, strict=True):
                memory.see(see_request(exchange.intent.digest, texts, due))
        world.report(replace(outcome, usage=None) if session.account.calls else outcome)

    def _read_shown(self, exchange: Exchange) -> tuple[ShownText, ...]:
        assert self.bench is not None
        return list_shown(self.bench.store.request_body(exchange.intent.number), exchange.intent.codings)

    def _refuse_marks(self, spans: SpanRewrite | None, task: Task) -> None:
        if spans and spans.faults:
            raise AgentFault(f"agent {self.name}, task {task.id}: {spans.faults[0]}")

    def _refuse_leak(self, requests: Requests, task: Task, shows: bool) -> None:
        """AgentFault where a command sent its memory outside of the marks, in a trial that shows none."""
        if self.marked is None or shows:
            return
        proof = prove_absence(self.marked.text, requests)
        if proof.word == "given though without":
            raise AgentFault(
                f"agent {self.name}, task {task.id}: {proof.word}: memory that was taken away stood outside"
                f" of marks in request {proof.first_request}"
            )

    def _refuse_halted(self, ended: list[Exchange]) -> None:
        """End the run where the proxy has to refuse what commands ask."""
        assert self.bench is not None
        proxy = self.bench.proxy
        if proxy.halted:
            raise StoreFault(proxy.halted)
        if any(exchange.end is not None and exchange.end.how == "refused" for exchange in ended) and (
            reached := proxy.account.limit_reached()
        ):
            raise SpentFault(f"budget: {reached}")


async def _wait_until_ended(account: ProxyAccount) -> None:
    until = asyncio.get_running_loop().time() + ENDING_S
    while account.in_flight and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.005)


def usage_of(account: ProxyAccount) -> Usage:
    """What a session used; dollars are None where some are not known."""
    prompt = account.input_tokens + account.cache_read_tokens + account.cache_write_tokens
    known = not (account.unmetered or account.unpriced)
    return Usage(prompt, account.output_tokens, account.usd if known else None)


def is_call(exchange: Exchange) -> bool:
    """Whether a request reached a model, as far as anybody knows."""
    end = exchange.end
    return end is not None and end.how != "refused" and (end.usage is not None or end.unmetered)


def refuse_unanswered(ended: list[Exchange]) -> None:
    """ModelFault where the last request of a command brought no answer, by no fault of the command's, or no
    request of it brought one: a memory that no model was asked with has not been tried."""
    ends = [exchange.end for exchange in ended if exchange.end is not None]
    if not ends:
        return
    last, status = ends[-1], ends[-1].status or 0
    why = last.why or f"status {last.status}"
    if last.how == "provider failed" or (
        last.how == "answered" and (status in OF_THE_PROVIDER or status >= 500)
    ):
        raise ModelFault(f"the provider failed in the last request of the command: {why}")
    if last.how == "refused" and status not in OF_THE_REQUEST:
        raise ModelFault(f"the proxy refused the last request of the command: {why}")
    asked = [
        exchange.end for exchange in ended if exchange.end is not None and exchange.intent.method == "POST"
    ]
    if asked and all(end.how in ("answered", "refused") and (end.status or 0) >= 300 for end in asked):
        why = asked[-1].why or f"status {asked[-1].status}"
        raise ModelFault(f"no request of the command was answered ({len(asked)} sent); the last: {why}")


def watch_of(ended: Mapping[str, list[Exchange]]) -> partial[None]:
    """What a proxy calls with each exchange that has ended, to sort them by session."""
    return partial(_note, ended)


def _note(ended: Mapping[str, list[Exchange]], exchange: Exchange) -> None:
    if exchange.intent.session in ended:
        ended[exchange.intent.session].append(exchange)
