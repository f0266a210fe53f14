"""The whole run on a clock that only waits move: what they permit, however busy the machine is."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.model_client import KEY
from memtrial.console.display import Display
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.types import Reply, Request
from memtrial.models.embeddings.provider import open_embedder
from memtrial.models.scripted.scripted_answers import Cast, answers_from
from memtrial.runs.engine.frozen_mode import run_frozen
from memtrial.runs.engine.schedule import Session
from memtrial.runs.engine.session import begin
from memtrial.runs.setup.context import RunContext, open_client
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.virtual_time import run_at_once

ROUND_S = 2.0
"""How long an answer takes on this clock; a run takes as many rounds however long one is."""


@dataclass
class RoundModel:
    """Answers as the scripted server does, after a round; `sent` is when each request was."""

    answers: Cast = field(default_factory=lambda: answers_from("simulated/reader"))
    sent: list[float] = field(default_factory=list)
    free: bool = False
    _repeats: Counter[bytes] = field(default_factory=Counter)

    async def answer(self, request: Request, repeat: int) -> Reply:
        self.sent.append(asyncio.get_running_loop().time())
        await asyncio.sleep(ROUND_S)
        repeats = self._repeats[request.digest]
        self._repeats[request.digest] += 1
        said = await self.answers.say(request, repeats)
        n_tokens = sum(len(message.text) for message in request.messages) // 4
        return Reply(said.text, n_tokens, len(said.text) // 4, request.model, stop=said.stop)

    async def close(self) -> None:
        """Nothing is held."""


def count_rounds(text: str, folder: Path) -> tuple[int, float]:
    """Calls of a spec, played in a new folder, and rounds from the first request to the last answer."""
    folder.mkdir()
    (folder / "whole.yaml").write_text(text, encoding="utf-8")
    spec = load_spec(folder / "whole.yaml", [])
    experiment = check_spec(spec, {"ANTHROPIC_API_KEY": KEY})
    ledger = SqliteLedger(folder / "ledger.sqlite")
    try:
        begin(experiment, ledger, folder)
        client, model = open_client(experiment, ledger, lambda _: None), RoundModel()
        client.open_backend = lambda _: model
        world, embedder = experiment.given.open_world(spec), open_embedder(spec.retrieval.embedder, client)
        run = RunContext(experiment, world, embedder, client, ledger, Display("none"))
        if run_at_once(run_frozen(run, Session())).how != "done":
            raise SystemExit("the run did not come to its end")
    finally:
        ledger.close()
    return len(model.sent), (max(model.sent) - min(model.sent)) / ROUND_S + 1
