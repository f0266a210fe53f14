"""A command as an agent of ours: it does each task in a process and a folder of its own, and reaches its
provider through a proxy of ours alone, which keeps, counts and bounds what it asks."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

from memtrial.agents.episode import AgentFault, SeenRequest
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.commands.command_spec import CommandSpec
from memtrial.commands.command_trial import CommandTask, play_command, run_beside
from memtrial.commands.process_order import CommandFault
from memtrial.commands.sandbox import Sandbox
from memtrial.faults import StoreFault
from memtrial.models.client.transport import SpentFault
from memtrial.models.client.types import ModelFault
from memtrial.plugins.sent_memory import texts_sent
from memtrial.protocols import AskModel
from memtrial.proxy.exchange import Exchange
from memtrial.proxy.exchange_store import ExchangeStore
from memtrial.proxy.loopback_proxy import Proxy
from memtrial.proxy.proxy_account import ProxyAccount
from memtrial.proxy.proxy_session import ProxySession, SessionTerms
from memtrial.worlds.world import Outcome, Task, Usage

ENDING_S = 5.0
"""How long it is waited for requests whose command was ended."""
OF_THE_PROVIDER = (401, 402, 403, 408, 409, 429)
"""Statuses of a provider that are no fault of the request; so are those from 500."""
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
    def open_session(self) -> Iterator[ProxySession]:
        """A session of the proxy for one trial."""
        session = self.proxy.open_session(SessionTerms(f"trial {next(self._numbers)}"))
        self.ended[session.terms.name] = []
        try:
            yield session
        finally:
            session.close()
            del self.ended[session.terms.name]


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """Plays a task by a command.

    Args:
        bench: None where nothing is to be played, only looked at.
    """

    spec: CommandSpec
    seed: int
    name: str
    digests: tuple[str, ...] = ()
    bench: CommandBench | None = None

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:  # noqa: ARG002
        """Do one task, and report its outcome.

        Raises:
            AgentFault: nobody can say how it went.
            ModelFault: the provider failed in its last request.
            SpentFault, StoreFault: nothing more may be sent in this run.
        """
        if self.bench is None:
            raise AgentFault(UNOPENED)
        await world.begin()
        due = tuple(filter(None, map(str.strip, memory.items)))
        with self.bench.open_session() as session:
            ended = self.bench.ended[session.terms.name]
            given = CommandTask(
                task,
                memory.text,
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
            calls = [exchange for exchange in ended if is_call(exchange)]
            if not (isinstance(outcome, Outcome) and outcome.success):
                refuse_failed_provider(ended)
            if isinstance(outcome, CommandFault):
                raise AgentFault(f"agent {self.name}, task {task.id}: {outcome}") from outcome
            for exchange in calls:
                number, digest = exchange.intent.number, exchange.intent.digest
                memory.see(SeenRequest(digest, texts_sent(self.bench.store.request_body(number), due)))
        world.report(replace(outcome, usage=None) if session.account.calls else outcome)

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


def refuse_failed_provider(ended: list[Exchange]) -> None:
    """ModelFault where the last request of a command brought no answer, by no fault of the command's."""
    last = next((exchange.end for exchange in reversed(ended) if exchange.end is not None), None)
    if last is None:
        return
    status = last.status or 0
    if last.how == "provider failed" or (
        last.how == "answered" and (status in OF_THE_PROVIDER or status >= 500)
    ):
        why = last.why or f"status {last.status}"
        raise ModelFault(f"the provider failed in the last request of the command: {why}")


def watch_of(ended: Mapping[str, list[Exchange]]) -> "partial[None]":
    """What a proxy calls with each exchange that has ended, to sort them by session."""
    return partial(_note, ended)


def _note(ended: Mapping[str, list[Exchange]], exchange: Exchange) -> None:
    if exchange.intent.session in ended:
        ended[exchange.intent.session].append(exchange)
