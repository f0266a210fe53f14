"""Workers that a driver starts beside itself, as processes and as tasks of a real Ray: the results of one."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtrial.api.run import RunOptions, run
from memtrial.faults import SpecFault
from memtrial.runs.spec.read_spec import load_spec
from tests.runs.test_shared_run import DONE, HELD, SPEC, SharedRun, alone, server, shared
from tests.support.scripted_run import sent, surroundings

__all__ = ["alone", "server", "shared"]  # fixtures
SESSIONS = "SELECT count(*) FROM memtrial.sessions"


@pytest.fixture
def cluster() -> Iterator[None]:
    """A Ray of this machine with two processors, ended after it."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=80 * 2**20)
    yield
    ray.shutdown()


def refuse_apart(shared: SharedRun, alone: bytes) -> None:
    """Three workers had a session; the results are those of one, and nothing was lost or asked twice."""
    assert (shared.folder / "out" / "results.json").read_bytes() == alone
    assert shared.ask(SESSIONS) == [(3,)]
    stands = sent(shared.folder)
    assert (stands.open, stands.sent) == (0, shared.provider.counts()["requests"])


def test_processes_beside_the_driver(shared: SharedRun, alone: bytes) -> None:
    code, err = shared.drive("--workers", "2").ended()
    assert code == 0, err
    refuse_apart(shared, alone)


def test_a_driver_that_is_ended_ends_its_workers(shared: SharedRun, alone: bytes) -> None:
    driver = shared.drive("--workers", "1")
    shared.wait_for("SELECT count(*) FROM pg_tables WHERE schemaname = 'memtrial'")
    shared.wait_for(HELD)
    driver.send(signal.SIGTERM)
    assert driver.ended()[0] == 130
    # the worker did not play on, and nobody waits for what it has
    assert int(str(shared.ask(DONE)[0][0])) < 8
    code, err = shared.drive().ended()
    assert code == 0, err
    assert (shared.folder / "out" / "results.json").read_bytes() == alone


def test_tasks_of_ray_beside_the_driver(shared: SharedRun, alone: bytes, cluster: None) -> None:
    around = surroundings(shared.provider.url)
    options = RunOptions(
        shared.folder / "out", environment=around, ledger=shared.server.address, engine="ray", workers=2
    )
    ended = run(load_spec(shared.folder / "spec.yaml", []), options)
    assert (ended.ending.how, ended.notice) == ("done", "")
    refuse_apart(shared, alone)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (RunOptions(workers=2), "--workers starts workers of a run in a database: add --ledger"),
        (RunOptions(engine="ray"), "--engine starts workers of a run in a database: add --ledger"),
        (RunOptions(engine="ray", ledger="postgresql://nobody", limit=1), "--limit is of this process alone"),
        (RunOptions(shard="1/2", ledger="postgresql://nobody"), "--shard is for machines without a database"),
    ],
)
def test_what_goes_without_a_database_and_what_does_not(
    tmp_path: Path, options: RunOptions, line: str
) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC)
    with pytest.raises(SpecFault, match=line):
        run(load_spec(tmp_path / "spec.yaml", ["backbone=simulated/reader"]), options)
