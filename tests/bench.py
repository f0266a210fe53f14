"""`make bench`: speed as ratios, each against a peer in the same run. No figure here is a test."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from analysis.sign_flip import flip_test
from arms.prepend import Prepend
from environments.workshop import Workshop
from episodes.react import play
from episodes.slot import NOTHING
from ledger.rows import TrialRow
from ledger.store import Ledger
from models.cache import CallCache
from models.call import Message, Request
from models.catalogue import open_backend
from models.door import Caller, Door

MODEL = "simulated/ignorer"


def best(work: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of a few runs."""
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begun)
    return min(spent)


def sign_flips() -> None:
    """Max-T over 24 contrasts against scipy on one of them."""
    from scipy.stats import permutation_test

    rng = np.random.default_rng(0)
    contrasts = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=(500, 24))
    units = np.arange(500)
    ours = best(lambda: flip_test(contrasts, units, 9_999, np.random.default_rng(1)))
    one = (contrasts[:, 0],)
    theirs = best(
        lambda: permutation_test(
            one, lambda d, axis: d.mean(axis=axis), permutation_type="samples", n_resamples=9_999,
            vectorized=True, rng=np.random.default_rng(1),
        )
    )  # fmt: skip
    print(f"9,999 flips x 500 tasks: 24 contrasts with max-T {ours:.3f} s, scipy on one {theirs:.3f} s, "
          f"ratio {ours / theirs:.2f}")  # fmt: skip


def door() -> None:
    """A call through the door against the bare backend."""
    backend = open_backend(MODEL)
    requests = [
        Request(
            MODEL,
            (Message("system", "s" * 1500), Message("user", f"Task: {i}\n\nObservation: o\nActions: a | b")),
        )
        for i in range(2_000)
    ]

    async def through() -> None:
        place = Door(CallCache(sqlite3.connect(":memory:")), open_backend)
        for request in requests:
            await place.ask(request, 0)
        place.cache.flush()

    async def bare() -> None:
        for request in requests:
            await backend.answer(request, 0)

    ours, theirs = best(lambda: asyncio.run(through())), best(lambda: asyncio.run(bare()))
    print(f"2,000 calls: through the door {ours:.3f} s, bare {theirs:.3f} s, ratio {ours / theirs:.2f}")


def episodes() -> None:
    """Whole episodes against the world alone."""
    world = Workshop(0, 0, 120)

    async def played() -> None:
        place = Door(CallCache(sqlite3.connect(":memory:")), open_backend)
        for repeat in range(3):
            for task in world.tasks("test"):
                await play(world, task, Caller(place, MODEL, repeat=repeat), Prepend()(NOTHING, ()))

    def walked() -> None:
        for _ in range(3):
            for task in world.tasks("test"):
                world.reset(task)
                for action in world.ground_truth(task).path:
                    world.step(action)

    ours, theirs = best(lambda: asyncio.run(played())), best(walked)
    speeds = f"{360 / ours:,.0f} a second; the world alone {360 / theirs:,.0f}"
    print(f"360 episodes: {speeds}, ratio {ours / theirs:.1f}")


def ledger_rows() -> None:
    """Trial rows into a ledger against the same bytes into a bare table."""
    step = {"thought": "t" * 60, "action": "turn the valve", "observation": "o" * 200, "fault": ""}
    rows = [
        TrialRow(f"{i:064}", "b", "a", "c", f"t{i}", "f", 0, "success", 1.0, "", "s" * 64, False, "r",
                 (step,) * 4, 4, 0, 4000, 100)
        for i in range(5_000)
    ]  # fmt: skip

    def ours() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Ledger(Path(folder) / "ledger.sqlite")
            for start in range(0, len(rows), 50):
                store.add_trials(rows[start : start + 50])
            store.close()

    def bare() -> None:
        with tempfile.TemporaryDirectory() as folder:
            connection = sqlite3.connect(Path(folder) / "bare.sqlite")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("CREATE TABLE t (key TEXT PRIMARY KEY, body TEXT)")
            body = "x" * 1_500
            for start in range(0, len(rows), 50):
                with connection:
                    connection.executemany(
                        "INSERT INTO t VALUES (?, ?)", [(row.key, body) for row in rows[start : start + 50]]
                    )
            connection.close()

    mine, theirs = best(ours), best(bare)
    print(f"5,000 ledger rows: {5_000 / mine:,.0f} a second; bare inserts {5_000 / theirs:,.0f}, "
          f"ratio {mine / theirs:.1f}")  # fmt: skip


if __name__ == "__main__":
    for measure in (sign_flips, door, episodes, ledger_rows):
        measure()
