"""What all steps of one session share, its model client among it."""

from collections.abc import Callable
from dataclasses import dataclass

from memtrial.commands.command_spec import CommandSpec
from memtrial.console.display import Display
from memtrial.memory.kept_index import IndexFolder
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.limits import RetryPolicy
from memtrial.models.client.shared_calls import SharedCalls
from memtrial.models.client.transport import Bounds, Transport
from memtrial.models.client.types import WEIGHTS, provider_of
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.embeddings.provider import open_provider
from memtrial.models.providers.open import open_backend
from memtrial.protocols import Backend, Embedder, LedgerStore, World
from memtrial.runs.run_folder.folder import INDEX
from memtrial.runs.setup.design import Design
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.setup.reviews import Reviews
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import Task

AT_ONCE = 8
"""Traces condensed at a time, at least."""
AHEAD = 3
"""Episodes for each connection, so that one is always ready to ask, and that long ones are begun in time."""
WAITING = 6
"""Episodes for each connection that may wait for an answer that another one has asked for, and use none."""
PROCESSES = 2
"""Worlds or agents that are processes of their own, at a time, unless the spec says otherwise."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all steps of one session share: the experiment, and what is open for it.

    Args:
        world: for tasks, rules and true memories; trials are played in worlds of their own.
        reviews: where people decide on drafts; None where no condenser asks them.
    """

    experiment: Experiment
    world: World
    embedder: Embedder
    model_client: ModelClient
    ledger: LedgerStore
    display: Display
    reviews: Reviews | None = None

    @property
    def spec(self) -> Spec:
        return self.experiment.spec

    @property
    def design(self) -> Design:
        return self.experiment.design

    @property
    def cue(self) -> str:
        """The line above the items."""
        return self.experiment.cue.text

    @property
    def model_embedder(self) -> Embedder | None:
        """The embedder, where it is a model; hashed words say no more than words."""
        return None if isinstance(self.embedder, HashingEmbedder) else self.embedder

    @property
    def index_folder(self) -> IndexFolder | None:
        """Where the indices of its banks are kept; None where the run has no folder."""
        path = self.ledger.path
        return IndexFolder(path.with_name(INDEX), self.display.say) if path.exists() else None

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that are played."""
        return self.world.tasks("test")

    @property
    def workers(self) -> int:
        """Episodes played at a time."""
        return workers(self.experiment, self.world.blocking)

    @property
    def most_waiting(self) -> int:
        """Episodes beside them that may wait for an answer which another one has asked for.

        None where a spec says how many are played at a time, or where each is a process.
        """
        engine = self.experiment.spec.engine
        stated = engine.workers is not None or engine.max_environments is not None
        fixed = stated or self.workers <= PROCESSES
        return 0 if fixed else WAITING * engine.max_connections

    @property
    def at_once(self) -> int:
        """Traces condensed, or questions asked, at a time."""
        return max(AT_ONCE, _asked_at_a_time(self.experiment, False))


def workers(experiment: Experiment, blocking: bool) -> int:
    """Episodes played at a time; `blocking`: a world is a process of its own."""
    engine = experiment.spec.engine
    if (most := engine.max_environments) is not None:
        return min(engine.workers or most, most)
    return _asked_at_a_time(experiment, blocking)


def begins_together(experiment: Experiment) -> bool:
    """All attempts at a training task are begun at once, not only the next one after one that failed."""
    return experiment.spec.engine.attempts_together and workers(experiment, False) > 1


def _asked_at_a_time(experiment: Experiment, blocking: bool) -> int:
    engine = experiment.spec.engine
    if engine.workers is not None:
        return engine.workers
    # a server of weights answers one request at a time, and keeps the conversation that it has in hand
    if all(provider_of(model) in ("simulated", "replay", WEIGHTS) for model in experiment.models):
        return 1
    of_processes = blocking or isinstance(experiment.spec.agent, CommandSpec)
    return PROCESSES if of_processes else AHEAD * engine.max_connections


def _hours_before(ledger: LedgerStore) -> float:
    """Hours of the sessions before the newest, which is going on."""
    sessions = ledger.sessions()
    return ledger.accounts.hours_before(sessions[-1].number) if sessions else 0.0


def open_client(
    experiment: Experiment,
    ledger: LedgerStore,
    say: Callable[[str], None],
    shared: SharedCalls | None = None,
) -> ModelClient:
    """A model client for one session; `say` gets a line for each fault and each limit that was cut.

    `shared`: the ledger's calls, where other workers make calls of the same run.
    """
    spec, engine = experiment.spec, experiment.spec.engine
    # of a shared ledger all calls are read for it
    told = shared is None or spec.budget.max_hours is not None
    hours_before = _hours_before(ledger) if told else 0.0
    cache = CallCache(ledger.calls, shared)
    transport = Transport(
        retry_policy=RetryPolicy(engine.attempts, engine.call_timeout_s, engine.first_wait_s),
        max_connections=engine.max_connections,
        prices=experiment.prices,
        max_usd=spec.budget.max_cost_usd,
        bounds=Bounds(spec.budget.max_calls, spec.budget.max_hours, hours_before),
        say=lambda text: say(experiment.keys.hide(text)),
    )

    logs = ledger.path.with_name("logs") if ledger.path.exists() else None

    def open_model(model: str) -> Backend:
        if model == spec.retrieval.embedder:
            return open_provider(model, experiment.keys, engine.max_reply_bytes)
        return open_backend(model, experiment.keys, engine.max_reply_bytes, logs)

    return ModelClient(cache, open_model, transport)
