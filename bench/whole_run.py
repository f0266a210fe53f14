"""How much of what the connections permit a whole run uses, from its first request to its last answer.

Collecting, condensing with gates, damage that a model writes, and trials, against a server on this machine.
The bare SDK's share stands beside it: on a machine that is busy, it shows what could be had. So does the
share on a clock that only waits move, with the run's connections and with as many as a spec may have: what
calls that wait for each other leave to be had.
"""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from bench.figure import Figure
from bench.model_client import KEY, ask_all, bare_anthropic, requests
from bench.serving import served
from bench.waits_alone import count_rounds
from memtrial.models.client.keys import Keys
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec

MODEL = "anthropic/claude-haiku-4-5"
WHOLE = f"""
name: whole
seed: 1
environment: {{world: workshop, train: TRAIN, test: TEST}}
backbone: {MODEL}
roles: {{condenser: {MODEL}, gate: {MODEL}}}
traces: {{source: play, attempts: 4}}
arms: [none, control, artifact, activation]
conditions: [corrupt_invert]
repeats: 1
engine: {{max_connections: CONNECTIONS}}
budget: {{max_cost_usd: BUDGET}}
"""
MOST_CONNECTIONS = 512
ROUNDS = 6
"""Of the bare SDK."""


@dataclass(frozen=True, slots=True)
class RunSize:
    """How long an answer takes, how much is asked, and what may be spent; None: anything."""

    latency_s: float
    connections: int
    train: int
    test: int
    max_usd: float | None = None

    @property
    def text(self) -> str:
        """The spec."""
        text = WHOLE.replace("BUDGET", "null" if self.max_usd is None else str(self.max_usd))
        named = {"TRAIN": self.train, "TEST": self.test, "CONNECTIONS": self.connections}
        for name, number in named.items():
            text = text.replace(name, str(number))
        return text


SIZES = tuple(
    RunSize(*speed, *size, budget)
    for speed, size in (((2.0, 50), (24, 30)), ((0.5, 200), (60, 290)))
    for budget in (None, 100.0)
)
"""With a budget that is never reached, and without."""


def figures() -> Iterator[Figure]:
    """One a size of run."""
    for size in SIZES:
        with served(Script(answers_from("simulated/reader"), latency_s=size.latency_s)) as url:
            keys = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
            bare_s = asyncio.run(_ask_bare(Keys(keys), size.connections))
            with tempfile.TemporaryDirectory() as folder:
                calls, took_s, cpu_s = _play(Path(folder), keys, size)
        with tempfile.TemporaryDirectory() as folder:
            waits, most = _shares_of_waits(Path(folder), size)
        permitted_s = calls * size.latency_s / size.connections
        yield Figure(
            "calls of a whole run against what its connections permit",
            f"{size.connections} connections, {size.latency_s:g} s of latency; {calls:,} calls in"
            f" {took_s:.1f} s, {cpu_s / calls * 1e3:.1f} ms of processor time a call; the bare SDK now"
            f" {ROUNDS * size.latency_s / bare_s:.2f}; by its waits alone {waits:.3f}, at most {most:.3f}"
            f"{'' if size.max_usd is None else '; with a budget'}",
            permitted_s / took_s,
            0.90,
            "at least",
        )


def _shares_of_waits(folder: Path, size: RunSize) -> tuple[float, float]:
    """What is used of the connections where nothing but waits takes time; and what could be.

    No run is shorter than with all the connections that there are, nor than its calls side by side.
    """
    calls, rounds = count_rounds(size.text, folder / "same")
    _, fewest = count_rounds(replace(size, connections=MOST_CONNECTIONS).text, folder / "most")
    permitted = calls / size.connections
    return permitted / rounds, permitted / max(permitted, fewest)


async def _ask_bare(keys: Keys, connections: int) -> float:
    """Seconds of some rounds on connections that are open."""
    asked = requests(MODEL, (ROUNDS + 1) * connections)
    async with bare_anthropic(keys) as ask:
        await ask_all(asked[:connections], ask, connections)
        return (await ask_all(asked[connections:], ask, connections)).wall_s


def _play(folder: Path, keys: dict[str, str], size: RunSize) -> tuple[int, float, float]:
    """Calls, seconds from the first request to the last answer, and seconds of this process."""
    (folder / "whole.yaml").write_text(size.text, encoding="utf-8")
    before = time.process_time()
    if play_spec(load_spec(folder / "whole.yaml", []), folder / "out", environment=keys, told=False):
        raise SystemExit("the run did not come to its end")
    cpu_s = time.process_time() - before
    with closing(sqlite3.connect(folder / "out" / "ledger.sqlite")) as ledger:
        calls, first_s = ledger.execute("SELECT count(*), min(at) FROM sends").fetchone()
        (last_s,) = ledger.execute("SELECT max(ended_s) FROM calls").fetchone()
    return calls, last_s - first_s, cpu_s


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
