"""A whole run on a clock of its own: connections have work from the first request to the last answer.

What is asked ahead of time is asked once, changes no trial, keeps to the budget, and waits where nothing may
be paid for before the plan is stated.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

import pytest

from memtrial.console.display import Display
from memtrial.faults import SpecFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import plan_in_force
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.transport import Bounds, SpentFault, Transport
from memtrial.models.client.types import Reply, Request
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.providers.open import open_backend
from memtrial.protocols import Backend
from memtrial.runs.engine.frozen_mode import run_frozen
from memtrial.runs.engine.schedule import Ending, Session, ending_of
from memtrial.runs.engine.session import begin
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.world import Task
from tests.support.small import write_spec
from tests.support.virtual_time import run_at_once

CONNECTIONS, LATENCY_S = 10, 2.0
N_CELLS = 5
WHOLE = f"""
name: whole
seed: 1
environment: {{world: workshop, train: 8, test: 12}}
backbone: anthropic/reader
roles: {{condenser: anthropic/scribe, gate: anthropic/examiner}}
traces: {{source: play, attempts: 3}}
arms: [none, control, activation]
conditions: [filler]
repeats: 1
engine: {{max_connections: {CONNECTIONS}}}
"""


@dataclass(frozen=True, slots=True)
class TimedCall:
    """One request, and when it was sent."""

    at: float
    request: Request
    repeat: int

    @property
    def name(self) -> str:
        """Of the model, without its provider."""
        return self.request.model.partition("/")[2]


@dataclass
class Provider:
    """Simulated models that take their time."""

    calls: list[TimedCall] = field(default_factory=list)

    def open(self, model: str) -> Backend:
        return SlowModel(self, open_backend(f"simulated/{model.partition('/')[2]}"))

    @property
    def share(self) -> float:
        """Of the calls that the connections permit, from the first request to the last answer."""
        took_s = self.calls[-1].at + LATENCY_S - self.calls[0].at
        return len(self.calls) * LATENCY_S / (CONNECTIONS * took_s)


@dataclass
class SlowModel:
    provider: Provider
    inner: Backend
    free: bool = False

    async def answer(self, request: Request, repeat: int) -> Reply:
        self.provider.calls.append(TimedCall(asyncio.get_running_loop().time(), request, repeat))
        await asyncio.sleep(LATENCY_S)
        return await self.inner.answer(request, repeat)

    async def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class Played:
    ending: Ending
    provider: Provider
    rows: list[TrialRow]
    planned: bool
    tasks: tuple[Task, ...]


def play(
    folder: Path, *settings: str, session: Session = Session(), provider: Provider | None = None
) -> Played:
    """The whole run; rows without what the cache gave, which depends on who asked first."""
    folder.mkdir()
    spec = load_spec(write_spec(folder, WHOLE), settings)
    experiment = check_spec(spec, {"ANTHROPIC_API_KEY": "sk-none-needed"})
    ledger, provider = SqliteLedger(folder / "ledger.sqlite"), provider or Provider()
    begin(experiment, ledger, folder)
    transport = Transport(
        max_connections=CONNECTIONS,
        max_usd=spec.budget.max_cost_usd,
        prices=experiment.prices,
        bounds=Bounds(spec.budget.max_calls),
    )
    client = ModelClient(CallCache(ledger.calls), provider.open, transport)
    world = experiment.given.open_world(spec)
    run = RunContext(experiment, world, HashingEmbedder(), client, ledger, Display("none"))
    try:
        ending = run_at_once(run_frozen(run, session))
    except SpentFault as spent:  # before the plan
        ending = ending_of(spent)
    rows = [replace(row, cached=0) for row in sorted(ledger.trials(), key=lambda row: row.key)]
    planned = plan_in_force(ledger) is not None
    ledger.close()
    return Played(ending, provider, rows, planned, run.tasks)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture(scope="module")
def bounded(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The same run with bounds that it never reaches."""
    return play(
        tmp_path_factory.mktemp("bounded") / "run", "budget.max_calls=100000", "budget.max_hours=1000"
    )


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The same run where every trial waits for the plan, for somebody wants to see it first."""
    seen = Session(see_blocks=lambda _: None)
    return play(tmp_path_factory.mktemp("waiting") / "run", session=seen)


def test_connections_have_work_from_the_first_request_to_the_last_answer(
    whole: Played, bounded: Played, waiting: Played
):
    assert whole.ending.how == bounded.ending.how == waiting.ending.how == "done"
    assert min(whole.provider.share, bounded.provider.share) > 0.92 > waiting.provider.share


def test_what_is_asked_early_is_asked_once_and_changes_no_trial(
    tmp_path: Path, whole: Played, bounded: Played, waiting: Played
):
    in_turn = play(tmp_path / "run", "engine.workers=1")
    assert whole.rows
    assert whole.rows == bounded.rows == waiting.rows == in_turn.rows
    assert requests(whole) == requests(bounded) == requests(waiting)
    # training attempts are begun together only where there are several workers
    assert requests(whole) - requests(in_turn) == requests(waiting, "reader") - requests(in_turn, "reader")


def test_what_is_played_ahead_keeps_to_the_budget(tmp_path: Path, waiting: Played):
    n_before = sum(not tasks_of(waiting, call) for call in waiting.provider.calls)
    few, some = (
        play(tmp_path / f"{most}", f"budget.max_calls={most}", "environment.test=40")
        for most in (n_before // 2, 3 * n_before)
    )
    for played, most in ((few, n_before // 2), (some, 3 * n_before)):
        assert played.ending.how == "budget"
        assert len(played.provider.calls) <= most
    # where the budget is not enough for what comes before trials, no more are begun than a block has
    assert not few.rows
    assert 0 < len(tasks_ahead(few)) <= N_CELLS
    # each block of which a trial was played ahead is played later
    assert 0 < len(tasks_ahead(some)) < 40
    assert tasks_ahead(some) <= {row.task for row in some.rows}


def tasks_ahead(played: Played) -> set[str]:
    """The test tasks that were asked about before the last gate was."""
    last = max((call.at for call in played.provider.calls if call.name == "examiner"), default=inf)
    return {task for call in played.provider.calls if call.at < last for task in tasks_of(played, call)}


def tasks_of(played: Played, call: TimedCall) -> set[str]:
    """The test task that a request is about, if any."""
    text = "\n".join(part.text for part in call.request.messages)
    return {task.id for task in played.tasks if task.query in text} if call.name == "reader" else set()


def requests(played: Played, *models: str) -> Counter[tuple[str, bytes, str, int]]:
    """How often each was sent."""
    return Counter(
        (call.request.model, call.request.digest, call.request.draw, call.repeat)
        for call in played.provider.calls
        if not models or call.name in models
    )


def test_a_trace_is_drafted_from_while_others_are_collected(waiting: Played):
    calls = waiting.provider.calls
    first_gate = next(call.at for call in calls if call.name == "examiner")
    last_training = max(call.at for call in calls if call.name == "reader" and call.at < first_gate)
    assert next(call.at for call in calls if call.name == "scribe") < last_training


def test_no_trial_is_played_before_the_plan_where_somebody_is_to_see_it(
    whole: Played, bounded: Played, waiting: Played
):
    for played, early in ((whole, True), (bounded, True), (waiting, False)):
        calls = played.provider.calls
        gates = [call.at for call in calls if call.name == "examiner"]
        assert early == any(call.name == "reader" and min(gates) < call.at < max(gates) for call in calls)


def test_a_lock_freezes_everything_before_the_first_trial(tmp_path: Path, whole: Played):
    kept = []
    locking = Session(freeze=lambda blocks, plan: kept.append((blocks, plan)))
    locked = play(tmp_path / "run", session=locking)
    assert kept
    assert not locked.rows
    assert not locked.planned
    assert requests(locked) < requests(whole)
    # what was asked is about training tasks alone
    texts = "\n".join(part.text for call in locked.provider.calls for part in call.request.messages)
    assert not any(block.task.query in texts for block in kept[0][0])


def test_a_memory_that_knows_a_test_task_is_not_played_before_it_is_refused(tmp_path: Path):
    leaky = Path(__file__).resolve().parents[1] / "own" / "leaky.py"
    settings = (
        f"condensers={{mine: {{kind: '{leaky}:text'}}, theory: {{kind: theory}}}}",
        "arms=[none, {name: mine, condenser: mine}, activation]",
        "environment.train=6",
        "environment.test=2",
        "seed=3",
    )
    provider = Provider()
    with pytest.raises(SpecFault, match="leakage"):
        play(tmp_path / "refused", *settings, provider=provider)
    counted = play(tmp_path / "counted", *settings, "leakage=count")
    assert [shows_leaky(each) for each in (provider, counted.provider)] == [False, True]


def shows_leaky(provider: Provider) -> bool:
    """Whether the items of the condenser that leaks stood in a request."""
    return any("Do as in '" in part.text for call in provider.calls for part in call.request.messages)


def test_backbones_are_prepared_side_by_side(tmp_path: Path):
    both = "backbone=[anthropic/reader, anthropic/skimmer]"
    settings = (both, "environment.train=3", "environment.test=3")
    beside = play(tmp_path / "beside", *settings, session=Session(see_blocks=lambda _: None))
    assert {call.name for call in beside.provider.calls if call.at == 0} == {"reader", "skimmer"}
    assert beside.rows == play(tmp_path / "alone", *settings, "engine.workers=1").rows
