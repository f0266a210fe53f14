"""Vectors by a process that ends: those of this one, and none that is waited for where it was killed."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memtrial.console.display import Display
from memtrial.ledger.memory_ledger import MemoryLedger
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.runs.engine.processes.process_vectors import ProcessVectors, begin_texts, begin_vectors
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.setup.processes.process_count import WORTH
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.read_spec import load_spec
from tests.support.scripted import simulated_client
from tests.support.small import write_spec

TEXTS = ("total of my first order", "boil water", "", "naïve ß 漢字")
LONG = """
name: long
seed: 5
environment: {world: workshop, train: 4, test: 5}
backbone: simulated/reader
roles: {condenser: simulated/scribe}
traces: {source: play, attempts: 2}
condensers: {mine: {kind: native}}
arms: [none, {name: mine, condenser: mine}]
conditions: []
draws: one
repeats: 500
engine: {processes: 2}
"""
PREPARED = """
import sys
from pathlib import Path
from memtrial.api.run import RunOptions, run
from memtrial.runs.spec.read_spec import load_spec
ending = run(load_spec(Path("small.yaml"), []), RunOptions(Path("out"), prepare=True)).ending
print(ending.how, "sklearn" in sys.modules)
"""
HEAVY = "polars aiohttp sklearn scipy faiss dspy langgraph matplotlib statsmodels pandas"
PLAYER = "memtrial.runs.engine.processes.block_process"


def test_a_process_makes_the_vectors_of_this_one_and_ends() -> None:
    embedder = HashingEmbedder(64)
    with closing(begin_texts(embedder, TEXTS)) as begun:
        taken = asyncio.run(begun.take())
        assert begun.child.process.returncode is not None
    assert taken.space == embedder.space
    assert taken.known.keys() == set(TEXTS)
    np.testing.assert_array_equal(taken.vectors(TEXTS[::-1]), embedder.vectors(TEXTS[::-1]))
    # what was not asked for is made here, with all else
    np.testing.assert_array_equal(taken.vectors(("sell it", *TEXTS)), embedder.vectors(("sell it", *TEXTS)))


def test_known_vectors_are_those_that_are_given() -> None:
    known = {"a b": np.full(8, 3, dtype=np.float32)}
    embedder = HashingEmbedder(8, known)
    np.testing.assert_array_equal(embedder.vectors(["a b", "a b"]), np.full((2, 8), 3, dtype=np.float32))
    assert embedder.vectors([]).shape == (0, 8)


def test_where_the_process_is_killed_the_vectors_are_made_here() -> None:
    embedder = HashingEmbedder(64)
    with closing(begin_texts(embedder, TEXTS)) as begun:
        os.kill(begun.child.process.pid, signal.SIGKILL)
        assert asyncio.run(begun.take()) is embedder


@pytest.mark.parametrize(
    ("settings", "n_trials", "searched"),
    [
        ((), WORTH, True),
        ((), WORTH - 1, False),
        (("arms=[none, oracle]",), WORTH, False),
    ],
    ids=["a long run", "a short one", "nothing is searched"],
)
def test_of_a_long_run_the_queries_are_asked_for_where_they_are_searched(
    tmp_path: Path, settings: tuple[str, ...], n_trials: int, searched: bool
) -> None:
    spec = load_spec(write_spec(tmp_path), settings)
    world = open_world(spec)
    run = RunContext(
        check_spec(spec), world, HashingEmbedder(), simulated_client(), MemoryLedger(), Display("none")
    )
    begun: ProcessVectors | None = begin_vectors(run, n_trials)
    assert (begun is not None) == searched
    if begun is not None:
        begun.close()
        tasks = (*world.tasks("train"), *world.tasks("test"))
        assert set(begun.texts) == {task.query for task in tasks}


def test_a_long_run_searches_and_never_has_the_library_that_makes_vectors(tmp_path: Path) -> None:
    write_spec(tmp_path, LONG)
    code = [sys.executable, "-c", PREPARED]
    done = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["limit", "False"]
    assert list((tmp_path / "out" / "index").iterdir())


@pytest.mark.parametrize("module", [PLAYER, "memtrial.api.run"])
def test_a_run_begins_without_what_a_part_of_the_runs_needs(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY.split()!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
