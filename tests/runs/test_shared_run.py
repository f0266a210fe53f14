"""Many workers on one run: the results of one alone, whoever is killed, stopped or cut off meanwhile."""

import asyncio
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from random import Random
from threading import Event

import pytest

from memtrial.ledger.blocks.block_outcomes import count_trials, group_trials
from memtrial.ledger.blocks.block_rows import OutcomeRows
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.types import Request
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_answers import Answers, answers_from
from memtrial.models.scripted.scripted_server import Running, serve_script
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.postgres_server import PostgresServer, restartable_server, skip_without_postgres
from tests.support.process import Process, begin
from tests.support.scripted_run import CLAUDE, SMALL, query, refuse_key, script, sent, surroundings

KILLS = int(os.environ.get("KILLS", "0"))
"""How often a worker, the driver, the connections or the database are ended, where that is more than five."""
TASKS = max(8, 3 * KILLS)
SPEC = (
    SMALL.replace("BACKBONE", CLAUDE)
    .replace("test: 3", f"test: {TASKS}")
    .replace("max_connections: 8", "max_connections: 4, workers: 2")
)
LEASE_S = 2


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    skip_without_postgres()
    with restartable_server() as running:
        yield running


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The results of a run that one process played in its folder."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "spec.yaml").write_text(SPEC)
    with serve_script(script(answers=ANSWERS)) as provider:
        spec = load_spec(folder / "spec.yaml", [])
        assert play_spec(spec, folder / "out", environment=surroundings(provider.url)) == 0
    return (folder / "out" / "results.json").read_bytes()


@dataclass(frozen=True)
class SharedRun:
    """A run of this test in the database: its processes."""

    folder: Path
    server: PostgresServer
    provider: Running
    name: str
    answering: Event

    def drive(self, *settings: str, out: str = "out") -> Process:
        """`memtrial run --ledger`."""
        verb = ("run", "spec.yaml", "--out", out, "--ledger", self.server.address, "--display", "log")
        return begin(
            self.folder, "--no-report", *settings, environment=surroundings(self.provider.url), verb=verb
        )

    def work(self, lease_s: float = LEASE_S, run: str | None = "out") -> Process:
        """`memtrial worker`, of one run or of all."""
        verb = ("worker", "--ledger", self.server.address, "--lease", str(lease_s))
        one = () if run is None else ("--run", run)
        return begin(self.folder, *one, environment=surroundings(self.provider.url), verb=verb)

    def ask(self, question: str) -> list[tuple[object, ...]]:
        """What the database says of this run."""
        database = Database(self.server.address)
        try:
            return database.ask(question)
        finally:
            database.close()

    def wait_for(self, question: str, least: int = 1) -> None:
        """Until a count has come so far."""
        until = time.monotonic() + 60
        while int(str(self.ask(question)[0][0])) < least:
            assert time.monotonic() < until, question
            time.sleep(0.02)


@dataclass(frozen=True)
class SameAnswers:
    """A provider that answers an equal request equally, however often it comes.

    What was in flight when a worker was killed is asked again; by the scripted server's own rule that is
    another draw, and the results would hang on which requests those were.
    """

    inner: Answers

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        return await self.inner.say(request, 0)


@dataclass(frozen=True)
class HeldAnswers:
    """Answers that wait while the provider is not answering."""

    inner: Answers
    answering: Event

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        while not self.answering.is_set():
            await asyncio.sleep(0.01)
        return await self.inner.say(request, repeat)


ANSWERS = SameAnswers(answers_from("simulated/reader"))
DONE = "SELECT count(*) FROM memtrial.blocks WHERE done"
SPENT = "SELECT sum(usd) FROM memtrial.workers"
CUT = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
HELD = "SELECT count(*) FROM memtrial.blocks WHERE worker IS NOT NULL AND NOT done"


@pytest.fixture
def shared(tmp_path: Path, server: PostgresServer) -> Iterator[SharedRun]:
    database = Database(server.address)
    database.ask("DROP SCHEMA IF EXISTS memtrial CASCADE")
    database.close()
    (tmp_path / "spec.yaml").write_text(SPEC)
    answering = Event()
    answering.set()
    held, log = HeldAnswers(ANSWERS, answering), tmp_path / "server.jsonl"
    with serve_script(script(answers=held, latency_s=0.03, log=log)) as provider:
        yield SharedRun(tmp_path, server, provider, "out", answering)


def refuse_loss(shared: SharedRun) -> None:
    """Of what was answered everything is kept, once; what was paid twice was in flight at a kill."""
    lines = (shared.folder / "server.jsonl").read_text().splitlines()
    times = Counter(row["digest"] for row in map(json.loads, lines) if row["answered"])
    stands = sent(shared.folder)
    assert shared.provider.counts()["requests"] <= stands.sent
    assert sum(count - 1 for count in times.values()) <= stands.open
    assert len(times) == query(shared.folder, "SELECT count(*) FROM calls WHERE send IS NOT NULL")[0][0]
    refuse_key(shared.folder)
    with closing(SqliteLedger.open_read_only(shared.folder / "out" / "ledger.sqlite")) as copied:
        read = OutcomeRows(copied.connection, copied.bodies).read()
        assert read is not None
        assert count_trials(read) == count_trials(group_trials(copied.trials()))


def test_three_processes_end_with_the_results_of_one(shared: SharedRun, alone: bytes) -> None:
    patient = ("-S", "engine.call_timeout_s=300")
    assert shared.drive(*patient, "--limit", "1").ended()[0] == 0
    shared.answering.clear()  # so that none can be done before the others play
    processes = [shared.drive(*patient), shared.work(30), shared.work(30)]
    shared.wait_for(HELD.replace("*", "DISTINCT worker"), 3)
    shared.answering.set()
    for process in processes:
        code, err = process.ended()
        assert code == 0, err
    assert (shared.folder / "out" / "results.json").read_bytes() == alone
    players = dict(shared.ask("SELECT worker, count(*) FROM memtrial.blocks GROUP BY worker"))
    assert sum(players.values()) == 8  # type: ignore[arg-type]
    assert len(players) == 4
    stands = sent(shared.folder)
    assert (stands.open, stands.sent) == (0, shared.provider.counts()["requests"])
    refuse_loss(shared)


def test_begun_in_its_folder_it_goes_on_in_the_database_and_there_alone(
    shared: SharedRun, alone: bytes
) -> None:
    spec, around = load_spec(shared.folder / "spec.yaml", []), surroundings(shared.provider.url)
    assert play_spec(spec, shared.folder / "out", 2, environment=around) == 0
    paid = sent(shared.folder).sent
    code, err = shared.drive().ended()
    assert code == 0, err
    assert (shared.folder / "out" / "results.json").read_bytes() == alone
    assert shared.ask("SELECT sum(sends)::int FROM memtrial.workers") == [(sent(shared.folder).sent,)]
    assert paid < sent(shared.folder).sent == shared.provider.counts()["requests"]
    code, err = begin(shared.folder, environment=around).ended()
    assert code == 2
    assert "--ledger with" in err


def test_killed_workers_and_a_killed_driver_lose_nothing(shared: SharedRun, alone: bytes) -> None:
    rng = Random(7)
    driver = shared.drive()
    shared.wait_for("SELECT count(*) FROM pg_tables WHERE schemaname = 'memtrial'")
    beside: list[Process] = []
    struck: Counter[str] = Counter()
    for number in range(max(5, KILLS)):
        beside = [worker for worker in beside if worker.poll() is None]
        beside += [shared.work(1) for _ in range(2 - len(beside))]
        beside[-1].wait(rng.uniform(0.2, 0.8) if not KILLS else rng.uniform(0.5, 8))
        under_way = driver.poll() is None and int(str(shared.ask(DONE)[0][0])) < TASKS
        match number % 10:
            case 1:
                what = "driver"
                driver.kill()
                driver = shared.drive()
            case 5 | 8:
                what = "connections"
                shared.ask(CUT)
            case 6:
                what = "postmaster"
                shared.server.restart()
            case _:
                what = "worker"
                beside.pop(rng.randrange(len(beside))).kill()
        struck[what] += under_way
    for worker in beside:
        worker.ended(600)
    code, err = driver.ended(600)
    assert code == 0, err
    print(dict(struck), sent(shared.folder))
    assert (shared.folder / "out" / "results.json").read_bytes() == alone
    refuse_loss(shared)


def test_cut_off_and_with_the_database_begun_anew_it_goes_on(shared: SharedRun, alone: bytes) -> None:
    patient = ("-S", "engine.call_timeout_s=300")
    assert shared.drive(*patient, "--limit", "1").ended()[0] == 0
    shared.answering.clear()  # so that neither can be done before the other one plays
    processes = (shared.drive(*patient), shared.work(30))
    shared.wait_for(HELD.replace("*", "DISTINCT worker"), 2)
    shared.ask(CUT)
    time.sleep(0.3)
    shared.answering.set()
    shared.server.restart()
    for process in processes:
        code, err = process.ended()
        assert code == 0, err
    assert (shared.folder / "out" / "results.json").read_bytes() == alone
    refuse_loss(shared)
    assert sent(shared.folder).open == 0


def test_a_worker_that_comes_back_after_its_lease_writes_nothing(shared: SharedRun, alone: bytes) -> None:
    driver = shared.drive("--limit", "1")
    assert driver.ended()[0] == 0
    worker = shared.work(1)
    shared.wait_for(HELD)
    worker.send(signal.SIGSTOP)
    code, err = shared.drive().ended()
    assert code == 0, err
    counted = "SELECT (SELECT count(*) FROM memtrial.{}), (SELECT max(nth) FROM memtrial.{})"
    before = [shared.ask(counted.format(name, name)) for name in ("trials", "calls", "sends", "session_ends")]
    worker.send(signal.SIGCONT)
    code, err = worker.ended()
    assert code == 1
    assert "lease" in err
    after = [shared.ask(counted.format(name, name)) for name in ("trials", "calls", "sends", "session_ends")]
    assert after == before
    assert (shared.folder / "out" / "results.json").read_bytes() == alone


def test_a_budget_and_the_connections_hold_over_all_workers_and_more_money_goes_on(
    shared: SharedRun, alone: bytes
) -> None:
    few = ("-S", "budget.max_calls=30")
    processes = [shared.drive(*few)]
    shared.wait_for("SELECT count(*) FROM pg_tables WHERE schemaname = 'memtrial'")
    shared.wait_for("SELECT count(*) FROM memtrial.runs WHERE spec != ''")
    processes += [shared.work(), shared.work()]
    for process in processes:
        code, err = process.ended()
        assert code == 0, err
    stands = sent(shared.folder)
    assert 0 < stands.sent <= 30
    done = int(str(shared.ask(DONE)[0][0]))
    assert 0 < done < 8
    # an intent is noted once there is a slot for it, and an answer before the slot is given back
    under_way = query(
        shared.folder, "SELECT s.at, c.ended_s FROM sends AS s JOIN calls AS c ON c.send = s.id"
    )
    assert most_at_once(under_way) <= 4
    dollars, dearest = map(float, shared.ask(f"SELECT ({SPENT}), dearest_usd FROM memtrial.runs")[0])  # type: ignore[arg-type]
    paid = dollars + 4.2 * dearest  # three blocks at the most, one after the other
    processes = [shared.drive("--max-cost", f"{paid:.6f}")]
    shared.wait_for("SELECT count(*) FROM memtrial.workers", 4)
    processes += [shared.work(), shared.work()]
    for process in processes:
        code, err = process.ended()
        assert code == 0, err
    assert dollars < float(str(shared.ask(SPENT)[0][0])) <= paid
    assert done < int(str(shared.ask(DONE)[0][0])) < 8
    code, err = shared.drive().ended()
    assert code == 0, err
    assert (shared.folder / "out" / "results.json").read_bytes() == alone
    refuse_loss(shared)


def test_two_runs_at_once_by_workers_for_all_and_a_refusal_of_one_holds_for_each(
    shared: SharedRun, alone: bytes
) -> None:
    other = ("seed=4", "environment.test=3")
    spec = load_spec(shared.folder / "spec.yaml", other)
    faults = ScriptedFault("429", at=(60, 90, 91, 92), retry_after_s=1)
    with serve_script(script(faults, answers=ANSWERS, latency_s=0.03)) as provider:
        assert play_spec(spec, shared.folder / "lone", environment=surroundings(shared.provider.url)) == 0
        runs = replace(shared, provider=provider)
        processes = [runs.drive(), runs.drive("-S", other[0], "-S", other[1], out="second")]
        runs.wait_for("SELECT count(*) FROM pg_tables WHERE schemaname = 'memtrial'")
        runs.wait_for("SELECT count(*) FROM memtrial.runs WHERE spec != ''", 2)
        processes += [runs.work(run=None), runs.work(run=None)]
        for process in processes:
            code, err = process.ended()
            assert code == 0, err
    assert (shared.folder / "out/results.json").read_bytes() == alone
    results = [(shared.folder / name / "results.json").read_bytes() for name in ("second", "lone")]
    assert results[0] == results[1] != alone
    refusals = shared.ask("SELECT run, ended_s FROM memtrial.send_faults")
    assert len(refusals) == 4
    for run, ended_s in refusals:
        within = f"run = {run} AND sent_s > {ended_s} AND sent_s < {ended_s} + 1"
        # two other processes with two episodes each may have looked whether they may send just before that
        # was known, and sent just after
        assert int(str(shared.ask(f"SELECT count(*) FROM memtrial.sends WHERE {within}")[0][0])) <= 4
    cut = "SELECT count(*) FROM memtrial.rates WHERE cut > closed - interval '2 s'"
    assert 1 <= int(str(shared.ask(cut)[0][0])) <= 2


def most_at_once(stretches: list[tuple[float, float]]) -> int:
    """How many stretches of time overlap at most."""
    moments = sorted([(begun, 1) for begun, _ in stretches] + [(ended, -1) for _, ended in stretches])
    return max(accumulate(step for _, step in moments))
