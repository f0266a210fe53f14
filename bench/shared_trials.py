"""A run of many simulated trials by several workers on a PostgreSQL of this machine: what each part takes.

`python -m bench.shared_trials --trials 10000 100000 --workers 4` plays a run of each size, and prints
what it took; the database waits for its disk (fsync), and counts its statements where it can. How a run
stands is added to a file (`--record`) while it goes on.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TextIO

from bench.long_spec import CELLS, write_long_spec
from bench.process_use import processor_s, resident_mb
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.row_text import LedgerFault
from tests.support.postgres_server import restartable_server

BACKBONES = (
    "simulated/reader", "simulated/trigger-reader", "simulated/skimmer", "simulated/ignorer",
)  # fmt: skip
A_TASK = CELLS * len(BACKBONES)
COUNTED = "-c shared_preload_libraries=pg_stat_statements"
LOOK_S = 1.0
RECORD_S = 20.0
"""Between two lines of the record."""
ROWS = "SELECT coalesce((SELECT count(*) FROM memtrial.{}), 0)"
STATEMENTS: Mapping[str, str] = {
    "lease a block": "UPDATE memtrial.blocks SET worker%",
    "totals of all workers": "%dearest_usd, most_calls, reported_usd%",
    "keep trials": "INSERT INTO memtrial.trials%",
    "keep episodes": "INSERT INTO memtrial.episodes%",
    "look for an answer": "SELECT key, asked, answered%key = $2",
    "keep answers": "INSERT INTO memtrial.calls%",
    "keep texts": "INSERT INTO memtrial.slots%",
    "all": "%",
}
"""Statements by how they begin, or by a part of them."""


@dataclass
class Played:
    """What a run took: moments in seconds since it began, and processor seconds of its processes."""

    trials: int = 0
    blocks: int = 0
    moments: dict[str, float] = field(default_factory=dict)
    marks: list[tuple[float, int]] = field(default_factory=list)
    processor_s: dict[str, float] = field(default_factory=dict)
    memory_mb: dict[str, float] = field(default_factory=dict)
    database_bytes: int = 0
    file_bytes: int = 0
    statements: dict[str, tuple[int, float]] = field(default_factory=dict)

    def look(self, database: Database, place: Path, now: float) -> None:
        """Take note of what is done."""
        if not self.blocks and (laid := _count(database, "blocks")):
            self.moments["offered"], self.blocks = now, laid
        if self.blocks and "played" not in self.moments:
            done = _count(database, "blocks WHERE done")
            self.marks.append((now, done))
            if done == self.blocks:
                self.moments["played"] = now
        if (place / "out/ledger.sqlite").exists():
            self.moments.setdefault("copied", now)

    def use(self, name: str, pid: int) -> None:
        """Take note of what a process used; of one that has ended what it was seen to use."""
        self.processor_s[name] = max(self.processor_s.get(name, 0.0), processor_s(pid))
        self.memory_mb[name] = max(self.memory_mb.get(name, 0.0), resident_mb(pid))

    def standing(self, now: float) -> dict[str, object]:
        """How the run stands, for a line of the record."""
        done = self.marks[-1][1] if self.marks else 0
        return {
            "s": round(now),
            "blocks": f"{done}/{self.blocks}",
            "moments": {name: round(when) for name, when in self.moments.items()},
            "processor_s": {name: round(spent) for name, spent in self.processor_s.items()},
            "memory_mb": {name: round(held) for name, held in self.memory_mb.items()},
        }

    def lines(self) -> Iterator[str]:
        """What it took, part by part."""
        moments, n = self.moments, self.trials
        play_s = moments["played"] - moments["offered"]
        per_quarter = ", ".join(f"{pace:,.0f}" for pace in self._paces())
        yield f"{n:,} trials in {self.blocks:,} blocks, simulated participants"
        yield f"  by the clock: prepared {moments['offered']:.0f} s, played {play_s:.0f} s"
        yield f"    ({n / play_s:,.0f} trials a second; by quarters {per_quarter})"
        yield f"    copied {moments['copied'] - moments['played']:.0f} s"
        yield f"    results.json, without a report, {moments['ended'] - moments['copied']:.0f} s"
        for name, spent in self.processor_s.items():
            used = f"{spent:.0f} s of processor time ({1e3 * spent / n:.2f} ms a trial of the run)"
            yield f"  {name}: {used}, {self.memory_mb[name]:,.0f} MB at its most"
        yield f"  bytes a trial: database {self.database_bytes / n:,.0f}, copy {self.file_bytes / n:,.0f}"
        for name, (calls, mean_ms) in self.statements.items():
            a_trial_ms = calls * mean_ms / n
            yield f"  {name}: {calls:,} statements, {mean_ms:.3f} ms each, {a_trial_ms:.3f} ms a trial"

    def _paces(self) -> Iterator[float]:
        """Trials a second in each quarter of the blocks."""
        cuts = [self._when(quarter * self.blocks // 4) for quarter in range(5)]
        for begun, ended in pairwise(cuts):
            yield self.trials / 4 / max(ended - begun, LOOK_S)

    def _when(self, done: int) -> float:
        return next((when for when, count in self.marks if count >= done), self.moments["played"])


def play(trials: int, workers: int, place: Path, address: str, record: TextIO) -> Played:
    """One run of about so many trials, by a driver and workers beside it; how it stands is recorded again and
    again."""
    write_long_spec(place, 48, trials // A_TASK, BACKBONES)
    played, begun, said = Played(), time.monotonic(), 0.0
    asked = ("--out", "out", "--ledger", address, "--display", "log", "--no-report")
    driver = _begin(place, "run", "spec.yaml", *asked)
    others: list[subprocess.Popen[bytes]] = []
    with closing(Database(address)) as database:
        while driver.poll() is None:
            now = time.monotonic() - begun
            if not others and _count(database, "runs WHERE spec != ''"):
                others = [
                    _begin(place, "worker", "--ledger", address, "--run", "out") for _ in range(workers - 1)
                ]
            played.look(database, place, now)
            played.use("driver", driver.pid)
            for number, other in enumerate(others, 1):
                played.use(f"worker {number}", other.pid)
            if now > said + RECORD_S:
                said = now
                record.write(json.dumps(played.standing(now)) + "\n")
                record.flush()
            time.sleep(LOOK_S)
        played.moments["ended"] = time.monotonic() - begun
        if any(process.wait() for process in (driver, *others)):
            raise RuntimeError((place / "said").read_text()[-2000:])
        played.trials = _count(database, "trials")
        played.database_bytes = int(str(database.ask("SELECT pg_database_size(current_database())")[0][0]))
        played.file_bytes = (place / "out/ledger.sqlite").stat().st_size
        played.statements = _statements(database)
    return played


def _begin(place: Path, *words: str) -> subprocess.Popen[bytes]:
    with (place / "said").open("ab") as said:
        command = [sys.executable, "-m", "memtrial", *words]
        return subprocess.Popen(
            command, cwd=place, stdout=said, stderr=said, env=os.environ | {"HOME": str(place)}
        )


def _count(database: Database, rows: str) -> int:
    try:
        return int(str(database.ask(ROWS.format(rows))[0][0]))
    except LedgerFault:
        return 0  # not laid out yet


def _statements(database: Database) -> dict[str, tuple[int, float]]:
    """Statements of each kind, and milliseconds of one; nothing where the server does not count them."""
    query = (
        "SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(total_exec_time) / nullif(sum(calls), 0), 0)"
        " FROM pg_stat_statements WHERE query LIKE %s"
    )
    try:
        rows = {name: database.ask(query, (like,))[0] for name, like in STATEMENTS.items()}
    except LedgerFault:
        return {}
    return {name: (int(calls), float(mean_ms)) for name, (calls, mean_ms) in rows.items()}


def main(words: list[str]) -> None:
    """Play a run of each size, and print what it took."""
    parser = argparse.ArgumentParser(prog="bench.shared_trials")
    parser.add_argument("--trials", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--record", type=Path, default=Path("logs/shared_trials.jsonl"))
    given = parser.parse_args(words)
    given.record.parent.mkdir(parents=True, exist_ok=True)
    for trials in given.trials:
        with (
            given.record.open("a") as record,
            tempfile.TemporaryDirectory() as folder,
            restartable_server(COUNTED) as server,
        ):
            with closing(Database(server.address)) as database, suppress(LedgerFault):
                database.ask("CREATE EXTENSION pg_stat_statements")
            played = play(trials, given.workers, Path(folder), server.address, record)
            for line in played.lines():
                print(line, flush=True)
                record.write(json.dumps({"trials": trials, "line": line}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
