"""A coding agent in the place of an agent of ours: it plays one task in a work tree of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event

from memtrial.agents.episode import AgentFault
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.coding_agents.memory_tree import MemoryRoots
from memtrial.coding_trials.agent_starter import NO_START, AgentStarter, ProxyAccess, StartPlaces
from memtrial.coding_trials.played_task import PlayedTask, WorkEnd, see_memory
from memtrial.coding_trials.work_records import WorkRecord, make_work_folder
from memtrial.commands.command_trial import run_beside
from memtrial.commands.process_order import (
    CommandFault,
    ProcessLimits,
    ProcessOrder,
    shell_words,
)
from memtrial.commands.process_run import run_process
from memtrial.delivery.span_items import SpanItems
from memtrial.faults import SpecFault, StoreFault
from memtrial.models.client.prices import PriceTable
from memtrial.models.client.transport import SpentFault
from memtrial.models.client.types import ModelFault
from memtrial.protocols import AskModel
from memtrial.proxy.exchange_folder import FolderExchanges, exchange_folder
from memtrial.proxy.loopback_proxy import ProxyBooks, open_proxy
from memtrial.proxy.proxy_account import ProxyLimits
from memtrial.proxy.proxy_session import SessionTerms, leave
from memtrial.proxy.span_rewrite import SpanRewrite
from memtrial.proxy.upstreams import Upstreams
from memtrial.repositories.coding_task import PLACE, CodingTask
from memtrial.repositories.file_trees import TreeFault
from memtrial.repositories.git_process import RepositoryFault
from memtrial.repositories.workspace import CheckTerms, SetupFault, Workspace, open_workspace
from memtrial.worlds.world import Outcome, Task, Usage, WorldFault


@dataclass(frozen=True, slots=True)
class TrialTerms:
    """How trials are played.

    Args:
        timeout_s: seconds for the agent; what takes longer has not solved its task.
        checks: how work trees are made and checked.
        upstreams: the providers that the proxy reaches.
        max_usd: US dollars that all trials of this session may spend; None: any.
        run: the run's folder, where requests and changes are kept.
    """

    timeout_s: float
    checks: CheckTerms
    upstreams: Upstreams
    prices: PriceTable
    max_usd: float | None
    run: Path


@dataclass
class CodingAgent:
    """Plays tasks by an agent's own process: the same object serves a whole run, and keeps nothing of a task.

    Args:
        tasks: by id.
        spent_usd: what trials of this session have spent.
    """

    starter: AgentStarter
    tasks: Mapping[str, CodingTask]
    terms: TrialTerms
    name: str = field(init=False)
    digests: tuple[str, ...] = field(init=False)
    spent_usd: float = 0.0

    def __post_init__(self) -> None:
        self.name, self.digests = self.starter.name, tuple(self.starter.digests.values())

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:  # noqa: ARG002
        """Do one task, and report its outcome with what it used.

        Raises:
            AgentFault: the agent cannot be started, or was shown memory that had been taken away.
            ModelFault: no request of it was answered.
            SpentFault: the budget was spent on the way.
            WorldFault: no work tree can be made, or nothing can be kept.
        """
        await world.begin()
        played, record = await self.work(task.id, memory.items)
        # what was spent counts, too, where the trial is of no use
        world.note_usage(Usage(record.input_tokens, record.output_tokens, record.usd), record.calls)
        self.refuse_unusable(played)
        if played.seen.asked is not None:
            memory.ask_for(played.seen.asked)
        for request in played.seen.requests:
            memory.see(request)
        world.report(Outcome(record.solved, float(record.solved), record.cause))

    async def work(self, task: str, items: tuple[str, ...]) -> tuple[PlayedTask, WorkRecord]:
        """Do the task of this id with these items as its memory, and keep all of it in the run's folder.

        Raises:
            AgentFault: the agent cannot be started.
            WorldFault: no work tree can be made, or nothing can be kept.
        """
        coding = self.tasks[task]
        try:
            folder = make_work_folder(self.terms.run, coding.digest[:12])
            with exchange_folder(folder.requests) as store:
                played = await self._play(coding, items, store)
            record = played.record(coding.id, join_items(items))
            folder.write(record, played.patch, played.ended.end.tail)
        except OSError as fault:
            raise WorldFault(f"files of a trial cannot be written: {fault.strerror or fault}") from fault
        return played, record

    async def _play(self, task: CodingTask, items: tuple[str, ...], store: FolderExchanges) -> PlayedTask:
        """Start the agent in a work tree of its own, with a proxy of its own."""
        terms, carrier, marked = self.terms, self.starter.carrier, self.starter.carrier.marked
        spans = SpanRewrite(marked.marks, SpanItems(marked.items, items)) if marked else None
        left = None if terms.max_usd is None else max(0.0, terms.max_usd - self.spent_usd)
        books = ProxyBooks(store, terms.prices, ProxyLimits(max_usd=left))
        async with open_proxy(terms.upstreams, books) as proxy:
            session = proxy.open_session(SessionTerms("trial", rewrite=spans or leave))
            access = ProxyAccess(session.url, session.token, session.environment())
            try:
                ended = await run_beside(partial(self._work, task, items, access))
            except (SetupFault, TreeFault, RepositoryFault) as fault:
                raise WorldFault(str(fault)) from fault
            except (SpecFault, CommandFault) as fault:
                raise AgentFault(str(fault)) from fault
            finally:
                session.close()
                self.spent_usd += session.account.usd
            if proxy.halted:
                raise StoreFault(proxy.halted)
        # looks at a list of models show a model nothing
        sent = tuple(each for each in store.exchanges() if each.intent.method == "POST")
        unfollowed = spans.faults[0] if spans and spans.faults else ""
        seen = see_memory(carrier, items, ended.relay, store, sent)
        return PlayedTask(ended, proxy.account, sent, seen, unfollowed)

    def _work(self, task: CodingTask, items: tuple[str, ...], access: ProxyAccess, stop: Event) -> WorkEnd:
        """The part that waits on processes, in a thread of its own."""
        terms, carrier, shown = self.terms, self.starter.carrier, join_items(items)

        def fill(tree: Path, home: Path) -> None:
            carrier.put(MemoryRoots(tree, home), shown)

        with open_workspace(task, terms.checks, stop=stop, fill=fill) as opened:
            given = opened.root / "given"
            given.mkdir()
            places = StartPlaces(opened.tree, opened.root / "home", given, carrier.serve(given, items))
            line = self.starter.prepare(task, shown, places, access)
            variables = {**_without_task(opened), **line.variables}
            limits = ProcessLimits(terms.timeout_s)
            order = ProcessOrder(shell_words(line.command), opened.tree, variables, limits, opened.root)
            held = terms.checks.sandbox.show(self.starter.shown).hold(order, opened.root, task.answers)
            end = run_process(held, stop)
            if end.left:
                raise CommandFault(f"{end.left} processes of the agent could not be ended: they are not ours")
            if end.code in NO_START:
                raise AgentFault(f"{self.name} cannot be started: {end.last_line}")
            relay = carrier.read_relay(given, items)
            return WorkEnd(end, None if end.code is None else opened.score(stop), relay)

    def refuse_unusable(self, played: PlayedTask) -> None:
        """A trial in which no model answered, or that showed too much, says nothing of the memory.

        Raises:
            AgentFault, ModelFault, SpentFault, WorldFault: it is such a trial.
        """
        end, relay = played.ended.end, played.ended.relay
        if relay is not None and relay.fault:
            raise WorldFault(f"{self.starter.carrier.file.path}: the memory server {relay.fault}")
        if played.account.refused and (limit := played.account.limit_reached()):
            raise SpentFault(limit)
        if played.unusable:
            raise AgentFault(f"{self.name}: {played.unusable}")
        if not played.ends and self.starter.needs_model:
            raise AgentFault(f"{self.name} sent no request; it ended with code {end.code}: {end.last_line}")
        if played.ends and not any(each.status is not None and each.status < 300 for each in played.ends):
            last = played.ends[-1]
            why = last.why or f"{last.how}, status {last.status}"
            raise ModelFault(
                f"none of {len(played.ends)} requests of {self.name} was answered; the last: {why}"
            )


def join_items(items: tuple[str, ...]) -> str:
    """The file as it was given, with no cue line of ours; its last line break is no part of an item."""
    return "\n\n".join(items) + "\n" * bool(items)


def _without_task(opened: Workspace) -> dict[str, str]:
    return {name: value for name, value in opened.variables.items() if name != PLACE}
