"""A coding task as it was played: how it ended, what it used, and what its requests showed of memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from memtrial.coding_trials.memory_carrier import MemoryCarrier
from memtrial.coding_trials.work_records import MemoryReading, WorkRecord
from memtrial.commands.process_order import ProcessEnd
from memtrial.delivery.seen_requests import SeenRequest, see_request
from memtrial.delivery.shown_texts import decode_body, list_shown
from memtrial.delivery.text_delivery import Requests, prove_absence
from memtrial.delivery.tool_delivery import AskedMemory, CalledTools, name_tools
from memtrial.memory_relay.relay_trial import RelayReport
from memtrial.proxy.exchange import Exchange, ExchangeEnd
from memtrial.proxy.exchange_folder import FolderExchanges
from memtrial.proxy.proxy_account import ProxyAccount
from memtrial.repositories.workspace import WorkScore


@dataclass(frozen=True, slots=True)
class WorkEnd:
    """How the agent's process ended, and what its work came to; no score where it was stopped.

    Args:
        relay: what passed between the agent and its memory server; None without one.
    """

    end: ProcessEnd
    score: WorkScore | None
    relay: RelayReport | None = None

    @property
    def cause(self) -> str:
        """Why the task is not solved; empty where it is."""
        return self.end.stopped if self.score is None else self.score.cause


@dataclass(frozen=True, slots=True)
class SeenMemory:
    """What the requests of a trial showed of its memory.

    Args:
        requests: in the order in which they were sent.
        due: how many texts were to be shown; of memory behind tools any that a call gave.
        asked: of memory behind tools, what the agent asked for; None without, or where none was offered.
        leak: where memory that was taken away stood all the same; empty where it did not.
    """

    requests: tuple[SeenRequest, ...]
    due: int
    asked: AskedMemory | None = None
    leak: str = ""

    @property
    def carried(self) -> int:
        """How many requests carried it: all of it, or a text that a tool gave."""
        return sum(bool(self.due) and len(request.texts) >= self.due for request in self.requests)


@dataclass(frozen=True, slots=True)
class PlayedTask:
    """A task as it was played.

    Args:
        sent: the requests; `seen` is what these showed, in the same order.
        unfollowed: why marks of a request could not be followed; empty where they could.
    """

    ended: WorkEnd
    account: ProxyAccount
    sent: tuple[Exchange, ...]
    seen: SeenMemory
    unfollowed: str = ""

    @property
    def ends(self) -> tuple[ExchangeEnd, ...]:
        """How the requests ended that did."""
        return tuple(each.end for each in self.sent if each.end is not None)

    @property
    def unusable(self) -> str:
        """Why the trial says nothing of the memory, by what its requests showed; empty where it does."""
        return self.unfollowed or self.seen.leak

    @property
    def patch(self) -> str:
        """What was changed, as git shows it."""
        return "" if self.ended.score is None else self.ended.score.patch.text

    def record(self, task: str, shown: str) -> WorkRecord:
        """The trial in figures."""
        ended, account = self.ended, self.account
        known = not (account.unpriced or account.unmetered)
        return WorkRecord(
            task=task,
            memory=sha256(shown.encode("utf-8", "surrogateescape")).hexdigest() if shown else "",
            solved=not ended.cause,
            cause=ended.cause,
            code=ended.end.code,
            seconds=ended.end.seconds + (ended.score.seconds if ended.score else 0.0),
            requests=len(self.sent),
            calls=account.calls,
            input_tokens=account.input_tokens + account.cache_read_tokens + account.cache_write_tokens,
            output_tokens=account.output_tokens,
            usd=account.usd if known else None,
            carried=self.seen.carried,
            reading=None if ended.relay is None else self._sum_reading(ended.relay),
            edited_tests=() if ended.score is None else ended.score.edited_tests,
        )

    def _sum_reading(self, relay: RelayReport) -> MemoryReading:
        return MemoryReading(
            verdict=name_tools(self.seen.asked, self.seen.requests),
            calls=relay.called,
            writes=relay.wrote,
            unknown_share=relay.unknown_share,
            stranger=relay.stranger,
        )


def see_memory(
    carrier: MemoryCarrier,
    items: Sequence[str],
    relay: RelayReport | None,
    store: FolderExchanges,
    sent: Sequence[Exchange],
) -> SeenMemory:
    """Look for the memory of a trial in its requests.

    Args:
        items: that were shown; none where memory was taken away.
        relay: what passed between the agent and its memory server; None without one.
    """
    bodies = [decode_body(store.request_body(each.intent.number), each.intent.codings) for each in sent]
    digests, shown = [each.intent.digest for each in sent], [list_shown(body) for body in bodies]
    due = {item.strip(): carrier.expect(item) for item in items if item.strip()}
    leak = "" if due else _name_leak(carrier, shown)
    if carrier.server is not None and relay is not None:
        server = carrier.server.server
        called = CalledTools(server.name, server.entry.reads, relay.called, relay.given)
        requests = tuple(map(called.see, digests, bodies, shown))
        return SeenMemory(requests, 1, called.sum_up(requests), leak)
    requests = tuple(see_request(digest, texts, due) for digest, texts in zip(digests, shown, strict=True))
    return SeenMemory(requests, len(due), None, leak)


def _name_leak(carrier: MemoryCarrier, shown: Requests) -> str:
    """Of a trial without memory: that it was given all the same; empty where it was not."""
    for text in carrier.telling:
        proof = prove_absence(text, shown)
        if proof.word == "given though without":
            where = f"its text stood in request {proof.first_request}"
            return f"{proof.word}: {carrier.file.path} was taken away, and {where}"
    return ""
