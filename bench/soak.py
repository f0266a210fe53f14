"""A run of many calls at many connections, each kind of fault at 2 %, a provider that goes away meanwhile.

`python -m bench.soak --calls 20000` says whether an answer was lost, and whether memory, or what a call takes
of a processor, grew. It takes minutes, and is begun by hand.
"""

import argparse
import json
import multiprocessing
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from bench.figure import Figure
from bench.long_spec import write_long_spec
from bench.process_use import processor_s, resident_mb
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script, serve_script

ENGINE = "engine: {{attempts: 12, first_wait_s: 0.05, max_connections: {connections}, call_timeout_s: 20}}\n"
A_TASK = 64
"""Calls of a task, about."""
SHARE = 50
"""Of so many requests a fault strikes one."""
FAULTS: Sequence[dict[str, object]] = (
    {"fault": "429", "retry_after_s": 0.1},
    {"fault": "500"},
    {"fault": "529"},
    {"fault": "503"},
    {"fault": "cut-off body"},
    {"fault": "slow drip", "lasts_s": 1.0},
    {"fault": "malformed JSON"},
    {"fault": "empty content"},
    {"fault": "reset"},
)
"""Each strikes requests that no other one does."""
AWAY = 5
"""How often the server is killed: connections are refused until it is there again."""
LOOK_S = 0.5
MOST_GROWTH = 1.1
KEY = "key-of-the-soak"


@dataclass(frozen=True, slots=True)
class Look:
    """The run at one moment: answers that are kept, processor seconds, and megabytes in memory."""

    when: float
    kept: int
    processor_s: float
    memory_mb: float


class ScriptedProvider:
    """The scripted server as a process of its own on a port that stays, so that it can go away."""

    def __init__(self, place: Path, latency_s: float, calls: int) -> None:
        faults = TypeAdapter(tuple[ScriptedFault, ...]).validate_python(
            [fault | {"at": range(5 * nth + 3, 2 * calls, SHARE)} for nth, fault in enumerate(FAULTS)]
        )
        log = place / "server.jsonl"
        self._script = Script(answers_from("simulated/reader"), faults, latency_s, log=log)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._begin()

    def _begin(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._process = spawn.Process(target=_serve, args=(self._script, self.port), daemon=True)
        self._process.start()

    def go_away(self) -> None:
        """End it as a crash does, and begin it again: until it is there connections are refused."""
        self.close()
        self._begin()

    def close(self) -> None:
        self._process.kill()
        self._process.join()


def _serve(script: Script, port: int) -> None:
    with serve_script(script, port):
        threading.Event().wait()


def play(calls: int, connections: int, latency_s: float, place: Path) -> list[Look]:
    """Play a run of about so many calls; how it stood again and again until its last call."""
    engine = ENGINE.format(connections=connections)
    write_long_spec(place, 8, max(2, calls // A_TASK), ("anthropic/claude-haiku-4-5",), engine)
    provider, looks = ScriptedProvider(place, latency_s, calls), list[Look]()
    around = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{provider.port}"}
    command = [sys.executable, "-m", "memtrial", "run", "spec.yaml", "--out", "out", "--display", "log"]
    try:
        with (place / "said").open("wb") as said:
            run = subprocess.Popen(
                command, cwd=place, stdout=said, stderr=said, env=os.environ | around | {"HOME": str(place)}
            )
        away = 0
        while run.poll() is None:
            kept = ask(place, "SELECT count(*) FROM calls WHERE send IS NOT NULL")[0][0]
            looks.append(Look(time.monotonic(), kept, processor_s(run.pid), resident_mb(run.pid)))
            if away < AWAY and kept > calls * (away + 1) / (AWAY + 1):
                away += 1
                provider.go_away()
            time.sleep(LOOK_S)
    finally:
        provider.close()
    if run.returncode:
        raise RuntimeError((place / "said").read_text()[-2000:])
    last = looks[-1].kept
    ended = next(number for number, look in enumerate(looks) if look.kept == last)
    return [look for look in looks[: ended + 1] if look.kept]


def ask(place: Path, question: str) -> list[tuple[Any, ...]]:
    """What the run's ledger says; zero before it is there."""
    path = place / "out/ledger.sqlite"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as ledger:
            return ledger.execute(question).fetchall()
    except sqlite3.OperationalError:
        return [(0,)]


def lost_answers(place: Path) -> tuple[int, int, Counter[str]]:
    """Answers that the server gave whole and the run has not; trials that were lost; requests by fault."""
    lines = (place / "server.jsonl").read_text().splitlines()
    visits = [json.loads(line) for line in lines]
    given = {visit["digest"] for visit in visits if visit["answered"] and visit["fault"] != "empty content"}
    kept = ask(place, "SELECT count(*) FROM calls WHERE send IS NOT NULL")[0][0]
    errors = ask(place, "SELECT count(*) FROM trials WHERE status = 'error'")[0][0]
    ask_open = (
        "SELECT (SELECT count(*) FROM sends) - (SELECT count(*) FROM calls WHERE send IS NOT NULL)"
        " - (SELECT count(*) FROM send_faults)"
    )
    met = Counter(dict(ask(place, "SELECT kind, count(*) FROM send_faults GROUP BY kind")))
    return max(0, len(given) - kept) + abs(ask(place, ask_open)[0][0]), errors, met


def figures(calls: int, connections: int, latency_s: float) -> Iterator[Figure]:
    """Growth from the second quarter of the calls to the last, and what was lost."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        looks = play(calls, connections, latency_s, place)
        lost, errors, met = lost_answers(place)
    kept, took = looks[-1].kept, looks[-1].when - looks[0].when
    cuts = [next(look for look in looks if look.kept >= kept * part / 4) for part in range(5)]
    each = [
        1e3 * (after.processor_s - before.processor_s) / max(1, after.kept - before.kept)
        for before, after in pairwise(cuts)
    ]
    memory = [look.memory_mb for look in cuts]
    faults = ", ".join(f"{kind} {count:,}" for kind, count in sorted(met.items()))
    what = f"{kept:,} calls at {connections} connections, {latency_s:g} s each, in {took:.0f} s"
    yield Figure(
        "soak: lost answers", f"{what}; {lost} lost, {errors} trials lost; met: {faults}", lost + errors, 0.0
    )
    quarters = ", ".join(f"{ms:.2f}" for ms in each)
    yield Figure(
        "soak: processor time of a call, last quarter to second",
        f"by quarters {quarters} ms",
        each[3] / each[1],
        MOST_GROWTH,
    )
    yield Figure(
        "soak: memory at the last call to that after a quarter",
        f"by quarters {', '.join(f'{mb:.0f}' for mb in memory)} MB",
        memory[4] / memory[1],
        MOST_GROWTH,
    )


def main(words: Sequence[str]) -> None:
    """Play it, and print a line for each figure."""
    parser = argparse.ArgumentParser(prog="bench.soak")
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.5)
    given = parser.parse_args(words)
    for figure in figures(given.calls, given.connections, given.latency):
        print(figure.line(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
