"""A coding agent in the place of an agent of ours: it plays one task in a work tree of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event

from memtrial.agents.episode import AgentFault, SeenRequest
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.coding_agents.memory_tree import MemoryRoots
from memtrial.coding_trials.agent_starter import NO_START, AgentStarter, ProxyAccess, StartPlaces
from memtrial.coding_trials.work_records import WorkRecord, make_work_folder
from memtrial.commands.command_trial import run_beside
from memtrial.commands.process_order import (
    CommandFault,
    ProcessEnd,
    ProcessLimits,
    ProcessOrder,
    shell_words,
)
from memtrial.commands.process_run import run_process
from memtrial.faults import SpecFault, StoreFault
from memtrial.models.client.prices import PriceTable
from memtrial.models.client.transport import SpentFault
from memtrial.models.client.types import ModelFault
from memtrial.protocols import AskModel
from memtrial.proxy.exchange import ExchangeEnd
from memtrial.proxy.exchange_folder import FolderExchanges, exchange_folder
from memtrial.proxy.loopback_proxy import ProxyBooks, open_proxy
from memtrial.proxy.proxy_account import ProxyAccount, ProxyLimits
from memtrial.proxy.proxy_session import SessionTerms
from memtrial.proxy.upstreams import Upstreams
from memtrial.repositories.coding_task import PLACE, CodingTask
from memtrial.repositories.file_trees import TreeFault
from memtrial.repositories.git_process import RepositoryFault
from memtrial.repositories.workspace import CheckTerms, SetupFault, WorkScore, Workspace, open_workspace
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


@dataclass(frozen=True, slots=True)
class WorkEnd:
    """How the agent's process ended, and what its work came to; no score where it was stopped."""

    end: ProcessEnd
    score: WorkScore | None

    @property
    def cause(self) -> str:
        """Why the task is not solved; empty where it is."""
        return self.end.stopped if self.score is None else self.score.cause


@dataclass(frozen=True, slots=True)
class PlayedTask:
    """A task as it was played: how it ended, what it used, and the requests that were kept.

    Args:
        ends: of these requests; `bodies` are theirs as well, and whether each `carried` the whole memory.
    """

    ended: WorkEnd
    account: ProxyAccount
    ends: tuple[ExchangeEnd, ...]
    bodies: tuple[bytes, ...]
    carried: tuple[bool, ...]

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
            requests=len(self.bodies),
            calls=account.calls,
            input_tokens=account.input_tokens + account.cache_read_tokens + account.cache_write_tokens,
            output_tokens=account.output_tokens,
            usd=account.usd if known else None,
            carried=sum(self.carried),
            edited_tests=() if ended.score is None else ended.score.edited_tests,
        )


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
        # the file as it was given, with no cue line of ours; its last line break is no part of an item
        shown = "\n\n".join(memory.items) + "\n" * bool(memory.items)
        coding = self.tasks[task.id]
        try:
            folder = make_work_folder(self.terms.run, coding.digest[:12])
            with exchange_folder(folder.requests) as store:
                played = await self._play(coding, shown, store)
            record = played.record(coding.id, shown)
            folder.write(record, played.patch, played.ended.end.tail)
        except OSError as fault:
            raise WorldFault(f"files of a trial cannot be written: {fault.strerror or fault}") from fault
        # what was spent counts, too, where the trial is of no use
        world.note_usage(Usage(record.input_tokens, record.output_tokens, record.usd), record.calls)
        self._refuse_unusable(played, shown)
        texts = tuple(item.strip() for item in memory.items if item.strip())
        for body, carried in zip(played.bodies, played.carried, strict=True):
            memory.see(SeenRequest(sha256(body).hexdigest(), texts if carried else ()))
        world.report(Outcome(record.solved, float(record.solved), record.cause))

    async def _play(self, task: CodingTask, shown: str, store: FolderExchanges) -> PlayedTask:
        """Start the agent in a work tree of its own, with a proxy of its own."""
        terms, carrier = self.terms, self.starter.carrier
        left = None if terms.max_usd is None else max(0.0, terms.max_usd - self.spent_usd)
        books = ProxyBooks(store, terms.prices, ProxyLimits(max_usd=left))
        async with open_proxy(terms.upstreams, books) as proxy:
            session = proxy.open_session(SessionTerms("trial"))
            access = ProxyAccess(session.url, session.token, session.environment())
            try:
                ended = await run_beside(partial(self._work, task, shown, access))
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
        sent = [each for each in store.exchanges() if each.intent.method == "POST"]
        bodies = tuple(store.request_body(each.intent.number) for each in sent)
        carried = tuple(carrier.is_in(body, shown) for body in bodies)
        ends = tuple(each.end for each in sent if each.end is not None)
        return PlayedTask(ended, proxy.account, ends, bodies, carried)

    def _work(self, task: CodingTask, shown: str, access: ProxyAccess, stop: Event) -> WorkEnd:
        """The part that waits on processes, in a thread of its own."""
        terms, carrier = self.terms, self.starter.carrier

        def fill(tree: Path, home: Path) -> None:
            carrier.put(MemoryRoots(tree, home), shown)

        with open_workspace(task, terms.checks, stop=stop, fill=fill) as opened:
            given = opened.root / "given"
            given.mkdir()
            places = StartPlaces(opened.tree, opened.root / "home", given)
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
            return WorkEnd(end, None if end.code is None else opened.score(stop))

    def _refuse_unusable(self, played: PlayedTask, shown: str) -> None:
        """A trial in which no model answered, or that showed too much, says nothing of the memory."""
        carrier, end = self.starter.carrier, played.ended.end
        if played.account.refused and (limit := played.account.limit_reached()):
            raise SpentFault(limit)
        if not played.ends and self.starter.needs_model:
            raise AgentFault(f"{self.name} sent no request; it ended with code {end.code}: {end.last_line}")
        if played.ends and not any(each.status is not None and each.status < 300 for each in played.ends):
            last = played.ends[-1]
            why = last.why or f"{last.how}, status {last.status}"
            raise ModelFault(
                f"none of {len(played.ends)} requests of {self.name} was answered; the last: {why}"
            )
        if not shown.strip() and carrier.leaks_into(played.bodies):
            raise AgentFault(
                f"{carrier.file.path} was taken away, and its text stood in a request all the same"
            )


def _without_task(opened: Workspace) -> dict[str, str]:
    return {name: value for name, value in opened.variables.items() if name != PLACE}
