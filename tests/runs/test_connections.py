"""Connections have work: episodes that wait for each other's answers leave none of them idle."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import pytest

from memtrial.console.display import Display
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.transport import Transport
from memtrial.models.client.types import Reply, Request
from memtrial.models.providers.open import open_backend
from memtrial.protocols import Backend
from memtrial.runs.engine.blocks import BlockPlayer
from memtrial.runs.engine.schedule import Session
from memtrial.runs.engine.session import carry_out
from memtrial.runs.setup.context import workers
from memtrial.runs.setup.preflight import Experiment, check_spec
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.trials.trials import Block
from tests.support.scripted_run import CLAUDE
from tests.support.small import write_spec
from tests.support.virtual_time import run_at_once

CONNECTIONS = 20
SETTINGS = (
    f"backbone={CLAUDE}",
    "conditions=[filler, irrelevant_swap]",
    "repeats=1",
    "environment.train=6",
    "environment.test=16",
    f"engine.max_connections={CONNECTIONS}",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """When a request could be sent, and was; the turns that its conversation may still have."""

    came: float
    sent: float
    left: int


@dataclass
class Slow:
    """Answers after a while, and notes when: begin and end of each call, and when an episode began last.

    Args:
        most: turns of a task, by its query.
        is_ending: all trials that are left are under way.
    """

    latency_s: float
    most: dict[str, int] = field(default_factory=dict)
    is_ending: Callable[[], bool] = lambda: False
    inner: Backend = field(default_factory=lambda: open_backend("simulated/reader"))
    spans: list[tuple[float, float]] = field(default_factory=list)
    last_opening: float = 0.0
    ending_since: float = inf
    turns: list[Turn] = field(default_factory=list)
    free: bool = False
    _ended: dict[tuple[str, ...], float] = field(default_factory=dict)

    async def answer(self, request: Request, repeat: int) -> Reply:
        begun = asyncio.get_running_loop().time()
        if len(request.messages) == 2:
            self.last_opening = begun
        if self.is_ending():
            self.ending_since = min(self.ending_since, begun)
        texts = tuple(message.text for message in request.messages)
        n_turns = max(n for query, n in self.most.items() if query in texts[1])
        came = self._ended.get(texts[:-2], -1.0)
        self.turns.append(Turn(came, begun, n_turns - len(texts) // 2))
        await asyncio.sleep(self.latency_s)
        self._ended[texts] = asyncio.get_running_loop().time()
        self.spans.append((begun, self._ended[texts]))
        return await self.inner.answer(request, repeat)

    async def close(self) -> None:
        """Nothing is held."""

    def share(self) -> float:
        """Of the calls that the connections permit, until the last episode began."""
        until = self.last_opening
        within = sum(max(0.0, min(end, until) - begin) / (end - begin) for begin, end in self.spans)
        return within / (until / self.latency_s * CONNECTIONS)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, tuple[Block, ...]]:
    place = tmp_path_factory.mktemp("prepared")
    experiment = check_spec(load_spec(write_spec(place), SETTINGS), {"ANTHROPIC_API_KEY": "sk-none-needed"})
    found: list[tuple[Block, ...]] = []

    def freeze(blocks: tuple[Block, ...], _: dict[str, Any]) -> None:
        found.append(blocks)

    ledger = SqliteLedger(place / "ledger.sqlite")
    asyncio.run(carry_out(experiment, ledger, Display("none"), Session(freeze=freeze)))
    ledger.close()
    return experiment, found[0]


@pytest.mark.parametrize("latency_s", [0.5, 2.0])
def test_nearly_all_that_the_connections_permit_is_in_play(
    prepared: tuple[Experiment, tuple[Block, ...]], tmp_path: Path, latency_s: float
) -> None:
    experiment, blocks = prepared
    spec = experiment.spec
    world = open_world(spec)
    most_turns = {block.task.query: world.step_limit(block.task) for block in blocks}
    slow = Slow(latency_s, most_turns, lambda: model_client.is_ending)
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    model_client = ModelClient(
        CallCache(ledger.calls), lambda _: slow, Transport(max_connections=CONNECTIONS)
    )
    at_once = workers(experiment, blocking=False)
    player = BlockPlayer(
        spec, lambda: open_world(spec), model_client, ledger, lambda *_: None, workers=at_once
    )
    assert run_at_once(player.play(blocks, frozenset())).how == "done"
    ledger.close()
    assert len(slow.spans) > 20 * CONNECTIONS
    moments = sorted([(begin, 1) for begin, _ in slow.spans] + [(end, -1) for _, end in slow.spans])
    now = most = 0
    for _, change in moments:
        now += change
        most = max(most, now)
    assert most == CONNECTIONS
    assert slow.share() > 0.95
    # at the end those with most turns before them go first
    late = [turn for turn in slow.turns if turn.came > slow.ending_since]
    pairs = [(one, other) for one in late for other in late if other.came < one.sent < other.sent]
    assert len(pairs) > 20
    assert all(one.left >= other.left for one, other in pairs)
    assert not model_client.is_ending
