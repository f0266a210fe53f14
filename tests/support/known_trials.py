"""The real Claude Code and Codex before a scripted model of known disposition, in a whole `try`."""

import os
import shlex
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import memtrial as mt
from memtrial.api.coding.try_agent import TryEnd
from memtrial.api.trial import ARM
from memtrial.models.scripted.coding.coding_answers import CodingAnswers
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.outcomes.reserved_names import WITHOUT
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.repositories.workspace import CheckTerms
from memtrial.views.rows.results import Results
from tests.support.known_models import MEMORY, N_TASKS, KnownModel
from tests.support.made_repository import CHECK, TESTS, git, thirty_four

CLIENTS = {"claude": "CLAUDE.md", "codex": "AGENTS.md"}
"""Agents, and the file that each reads."""
MODELS = {"claude": "sonnet", "codex": "gpt-scripted"}
DEAF = {"claude": "--safe-mode", "codex": "-c project_doc_max_bytes=0"}
"""What a user may have set so that a client does not load the file."""
SLIP, MARGIN = 0.03, 0.2
"""Of a model, whose trials are not all alike; and what counts as no effect, in points of score."""
WRITER, READER = "simulated/perturber?hit=1", "simulated/decider?hit=1&noise=0"
KEY = "a-key-of-nobody"
ASKED = mt.TryOptions(margin=MARGIN, perturber=WRITER, judge=READER, max_connections=2, report=False)
MINING = MiningOptions(CHECK, test_globs=TESTS, terms=CheckTerms(timeout_s=60))


@dataclass(frozen=True)
class PlayedModel:
    """One trial of a memory, and what was said of it."""

    client: str
    known: KnownModel
    end: TryEnd
    results: Results
    seconds: float

    @property
    def said(self) -> dict[str, str]:
        """The words on the utility, on each drop, and on the tokens."""
        backbone = self.results.backbones[0]
        bill = next((cost.versus_tokens for cost in self.end.costs if cost.condition == WITHOUT), None)
        drops = self.results.verdicts.get(backbone, {}).get(ARM, {})
        gain = self.results.utility.get(backbone, {}).get(ARM, "")
        return {"utility": gain, **drops, "tokens": bill.word if bill else "open"}

    def due(self, name: str) -> tuple[str, ...]:
        """The right words in that place."""
        return {"utility": self.known.gain, "tokens": self.known.bill}.get(name) or self.known.due(name)

    @property
    def wrong(self) -> dict[str, str]:
        """Words that are not due."""
        return {name: word for name, word in self.said.items() if word not in self.due(name)}

    @property
    def undelivered(self) -> tuple[int, int]:
        """Requests that lack the memory, of those that were to carry it."""
        delivery = self.results.delivery
        return (delivery.undelivered, delivery.carrying) if delivery is not None else (0, 0)


def make_library(folder: Path, client: str) -> Path:
    """The repository, and its memory where this client reads it."""
    thirty_four(folder)
    git(folder, "checkout", "--quiet", "main")
    place = folder / CLIENTS[client]
    place.write_text(MEMORY, encoding="utf-8")
    return place


@contextmanager
def deafened(client: str, folder: Path) -> Iterator[None]:
    """The client is started in a way in which it does not load the file, as a user's own wrapper may do."""
    program, before = shutil.which(client), os.environ["PATH"]
    assert program is not None
    wrapper = folder / "bin" / client
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.quote(program)} {DEAF[client]} "$@"\n')
    wrapper.chmod(0o755)
    os.environ["PATH"] = f"{wrapper.parent}:{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


def play_model(
    client: str,
    known: KnownModel,
    folder: Path,
    tasks: int = N_TASKS,
    options: mt.TryOptions = ASKED,
    slip: float = SLIP,
) -> PlayedModel:
    """Try the memory with a client before such a model, in an empty folder.

    Args:
        tasks: so many of the newest.
        options: all that is not of the server.
        slip: the share of trials that end the other way.
    """
    memory, begun = make_library(folder / "library", client), time.monotonic()
    answers = CodingAnswers(known.tasks(), known.disposition, slip, seed=1)
    mining = replace(MINING, kept=folder.parent / "tried")
    with serve_script(Script(answers)) as server:
        own = replace(
            options,
            model=MODELS[client],
            out=folder / "run",
            base_urls=(f"anthropic={server.url}", f"openai={server.openai_url}"),
            environment={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY},
        )
        with nullcontext() if known.given else deafened(client, folder):
            end = mt.try_agent(client, memory, f"git:{tasks}", memory.parent, own, mining)
    assert end.run.results is not None
    return PlayedModel(client, known, end, end.run.results, time.monotonic() - begun)
