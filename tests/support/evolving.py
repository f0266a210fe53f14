"""One arm of an evolution without a folder: a corridor, a scripted model, a bank in a temporary folder."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from memtrial.call_purpose import Purpose
from memtrial.evolution.evolve_spec import EvolveArm
from memtrial.evolution.scaled_task import Players
from memtrial.evolution.task_loop import StreamMemory, TaskLoop
from memtrial.memory.bank.bank_settings import BankSettings, LearnMode
from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import PAPER
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.systems.bank_system import RunClock
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Request
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.own_agent import load_agent
from memtrial.runs.setup.world_pool import Worlds
from memtrial.runs.spec.sampling import Sampled
from tests.support.scripted import CORRIDOR, Corridor, Scripted, client_to

WALK = "Thought: I walk.\nAction: go on"
STAND = "Thought: I stand.\nAction: sit down"
ITEM = (
    '{"memories": [{"title": "Doors open by walking", "description": "D", "content": "Walk through DOORS."}]}'
)
GUARDRAIL = (
    '{"memories": [{"title": "Sitting opens no door", "description": "D", "what_went_wrong": "It sat down.",'
    ' "what_to_do_instead": "Walk."}]}'
)
TASKS = tuple(replace(CORRIDOR, id=f"corridor-{number}") for number in range(1, 5))


def asked_of(request: Request) -> str:
    """All that a request says."""
    return "\n".join(message.text for message in request.messages)


def writes(request: Request) -> bool:
    """Whether it asks the writer of items."""
    return request.messages[0].text.startswith(("You distil", "You compare"))


def grades(request: Request) -> bool:
    """Whether it asks the judge."""
    return "At first: Door 0." in request.messages[-1].text


def scripted(play: Callable[[Request, int], str], item: str = ITEM, grade: str = "") -> Scripted:
    """A model that plays as it is told, writes this item, and judges so."""

    def say(request: Request, repeat: int) -> str:
        if writes(request):
            return item
        return grade if grades(request) else play(request, repeat)

    return Scripted(say)


def players_of(
    client: ModelClient,
    judge: str | None = None,
    most_calls: int | None = None,
    at_once: int = 8,
    limit: int = 5,
) -> Players:
    sampled = Sampled(None, None)
    worlds = Worlds(Corridor, 8)
    agent = load_agent("react", 0)
    return Players(agent, client, worlds, "scripted/one", sampled, judge, sampled, 0, most_calls=most_calls)


def bank_in(folder: Path, settings: BankSettings = BankSettings(), dimensions: int = 64) -> ReasoningBank:
    embedder = HashingEmbedder(dimensions)
    folder.mkdir(exist_ok=True)
    log = BankLog(folder / FILE, redact, RunClock())
    return ReasoningBank(
        log, lambda texts: np.asarray(embedder.vectors(texts), dtype=np.float32), embedder.space, settings
    )


def loop_of(
    backend: Scripted,
    arm: EvolveArm,
    folder: Path | None,
    judge: str | None = None,
    truths: dict[str, tuple[str, ...]] | None = None,
    most_calls: int | None = None,
    profile: RankingProfile = PAPER,
) -> TaskLoop:
    """The loop of an arm; without a folder it has no memory."""
    client = client_to(backend)
    memory = None
    if folder is not None:
        learn: LearnMode = "both" if arm.learn == "none" else arm.learn
        bank = bank_in(folder, BankSettings(profile, learn, signs=arm.retrieve == "within"))
        caller = Caller(client, "scripted/one", None, 0, None, Purpose("memory", "arm"))
        door = SystemDoor(caller.ask, HashingEmbedder(64))
        memory = StreamMemory(bank, door, caller, bank.log.clock, truths or {})  # type: ignore[arg-type]
    return TaskLoop(players_of(client, judge, most_calls), "arm", arm, 0, memory, "test")
