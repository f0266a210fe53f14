"""How much of what the connections permit a whole play of trials uses, with a model that takes its time.

The bare SDK's share stands beside it: on a machine that is busy, it shows what could be had.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.figure import Figure
from bench.model_client import ask_all, bare_anthropic, requests
from bench.serving import served
from memtrial.agents.react import ReAct
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.transport import Transport
from memtrial.models.client.types import Reply, Request
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script
from memtrial.prompts.templates import cue_line
from memtrial.protocols import Backend
from memtrial.runs.engine.blocks import BlockPlayer
from memtrial.runs.preparation.arm_slots import Memories, fill_slots
from memtrial.runs.preparation.world_memories import state_memories, wanted_of
from memtrial.runs.setup.context import AHEAD
from memtrial.runs.setup.design import design_of
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.trials.planned.block_order import BlockPlaces
from memtrial.runs.trials.planned.planned_blocks import PlanDraft
from memtrial.runs.trials.slot_damage import Damager
from memtrial.runs.trials.trials import TrialLayout
from memtrial.worlds.workshop.world import Workshop
from tests.support.said_lines import Line, Lines
from tests.support.small import write_spec

MODEL = "anthropic/claude-haiku-4-5"
LATENCIES_S = (0.5, 2.0)
CONNECTIONS = 50
TASKS = 44
ROUNDS = 6
"""Of the bare SDK."""
ARMS = "arms=[none, oracle, planted-theory, planted-activation]"
"""Trials of the last are as those of the first until an item fires: they wait for each other's answers."""
SETTINGS = [ARMS, "conditions=[filler]", f"backbone={MODEL}", "repeats=1"]


@dataclass
class Watched:
    """A backend with a note of when each call began and ended.

    Args:
        spans: first and last moment of each call that was answered, in seconds.
        last_opening: when the last episode so far sent its first request.
    """

    inner: Backend
    spans: list[tuple[float, float]] = field(default_factory=list)
    last_opening: float = 0.0
    in_flight: int = 0
    full_at: float | None = None

    @property
    def free(self) -> bool:
        """As the one within."""
        return self.inner.free

    async def answer(self, request: Request, repeat: int) -> Reply:
        """As the one within."""
        begun = time.perf_counter()
        if len(request.messages) == 2:
            self.last_opening = begun
        self.in_flight += 1
        if self.in_flight == CONNECTIONS and self.full_at is None:
            self.full_at = begun
        reply = await self.inner.answer(request, repeat)
        self.in_flight -= 1
        self.spans.append((begun, time.perf_counter()))
        return reply

    async def close(self) -> None:
        """As the one within."""
        await self.inner.close()


def figures() -> Iterator[Figure]:
    """For each latency: the window in which every connection has work, then the whole with its two ends."""
    for latency_s in LATENCIES_S:
        yield from _at(latency_s)


def _at(latency_s: float) -> Iterator[Figure]:
    # no action of the world: every episode goes to its last turn
    answers = Lines(
        (Line("", ScriptedAnswer("Thought: I wait and see what happens.\nAction: wait and see")),)
    )
    with served(Script(answers, latency_s=latency_s)) as url:
        keys = Keys({"ANTHROPIC_API_KEY": "key-of-the-bench", "ANTHROPIC_BASE_URL": url})
        bare_s = asyncio.run(_bare(keys))
        with tempfile.TemporaryDirectory() as folder:
            watched, trials, whole_s = asyncio.run(_played(Path(folder), keys))

    def share(calls: float, wall_s: float) -> float:
        return calls / (wall_s / latency_s * CONNECTIONS)

    full_at = watched.full_at or 0.0
    # when the last episode begins, fewer trials than connections are left
    until = watched.last_opening
    # of a call that reaches over an edge, the part within
    within = sum(
        max(0.0, min(end, until) - max(begin, full_at)) / (end - begin) for begin, end in watched.spans
    )
    detail = f"{CONNECTIONS} connections, {latency_s:g} s of latency"
    yield Figure(
        "calls while every connection has work, against what the connections permit",
        f"{detail}; {within:.0f} calls in {until - full_at:.1f} s; the bare SDK at this hour"
        f" {share(ROUNDS * CONNECTIONS, bare_s):.2f}",
        share(within, until - full_at),
        0.90,
        "at least",
    )
    yield Figure(
        "the same of the whole play, its beginning and its tail included",
        f"{detail}; {trials} trials, {len(watched.spans)} calls in {whole_s:.1f} s",
        share(len(watched.spans), whole_s),
    )


async def _bare(keys: Keys) -> float:
    """Seconds of some rounds on connections that are open."""
    asked = requests(MODEL, (ROUNDS + 1) * CONNECTIONS)
    async with bare_anthropic(keys) as ask:
        await ask_all(asked[:CONNECTIONS], ask)
        return (await ask_all(asked[CONNECTIONS:], ask)).wall_s


async def _played(folder: Path, keys: Keys) -> tuple[Watched, int, float]:
    spec = load_spec(write_spec(folder), SETTINGS)
    world = Workshop(3, 24, TASKS)
    tasks = world.tasks("test")
    stated = state_memories(world, tasks, wanted_of(design_of(spec).arms), cue_line(), spec.seed)
    arm_slots = {MODEL: (await fill_slots(spec, tasks, Memories({}, stated)),)}
    layout = TrialLayout(spec, design_of(spec), world, Damager(spec), ReAct().digests)
    draft = PlanDraft.begin(layout, arm_slots, BlockPlaces(spec.backbone, tasks, spec.repeats))
    for _ in draft.lay_each(lambda _: None):
        pass
    blocks = draft.finish({})
    ledger = SqliteLedger(folder / "ledger.sqlite")
    watched = Watched(open_backend(MODEL, keys))
    transport = Transport(max_connections=CONNECTIONS, prices=shipped_prices())
    model_client = ModelClient(CallCache(ledger.calls), lambda _: watched, transport)
    begun = time.perf_counter()
    player = BlockPlayer(
        spec,
        lambda: Workshop(3, 24, TASKS),
        model_client,
        ledger,
        lambda _trials, _errors: None,
        workers=AHEAD * CONNECTIONS,
    )
    await player.play(blocks, frozenset())
    whole_s = time.perf_counter() - begun
    rows = list(ledger.trials())
    await model_client.close()
    ledger.close()
    causes = [row.cause for row in rows if row.status == "error"]
    if causes:
        raise SystemExit(f"{len(causes)} trials broke: {causes[0]}")
    return watched, len(rows), whole_s


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
