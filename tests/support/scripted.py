"""Small scripted parts for tests: a model that says what it is told, a set injection, a corridor."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memtrial.agents.slot import BrokenCheck, Firing
from memtrial.agents.trajectory import Moment
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Message, Reply, Request
from memtrial.models.providers.open import open_backend
from memtrial.protocols import Backend
from memtrial.worlds.world import Outcome, Split, State, Task, Truth, WorldFault


@dataclass
class Scripted:
    """A backend that keeps every request with its repeat and answers by `say`."""

    say: Callable[[Request, int], str]
    asked: list[tuple[Request, int]] = field(default_factory=list)

    @property
    def free(self) -> bool:
        return True

    async def answer(self, request: Request, repeat: int) -> Reply:
        self.asked.append((request, repeat))
        await asyncio.sleep(0)  # as a provider would: others come in between
        return Reply(self.say(request, repeat), 7, 3, "scripted-1")

    async def close(self) -> None:
        pass


def saying(*replies: str | Exception) -> Scripted:
    """Says these in turn; an exception is raised, and asking for more than there are is one too."""
    left = list(replies)

    def say(request: Request, repeat: int) -> str:
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return Scripted(say)


def client_to(backend: Backend) -> ModelClient:
    """A model client whose one backend answers for every model."""
    return ModelClient(CallCache(MemoryCallStore()), lambda model: backend)


def simulated_client() -> ModelClient:
    """A model client with all providers, and a cache in memory."""
    return ModelClient(CallCache(MemoryCallStore()), open_backend)


def caller_of(backend: Backend, repeat: int = 0) -> Caller:
    return Caller(client_to(backend), "scripted/one", None, repeat)


def request_of(*texts: str, model: str = "scripted/one") -> Request:
    """System, user, assistant, user, …"""
    roles: list[Any] = ["system", *("user", "assistant") * len(texts)]
    return Request(model, tuple(Message(role, text) for role, text in zip(roles, texts, strict=False)))


@dataclass
class Injected:
    """An injection whose texts are set: for the system prompt, by turn, and by turn for a proposal."""

    system: str = ""
    turns: Mapping[int, str] = field(default_factory=dict)
    proposals: Mapping[int, str] = field(default_factory=dict)
    seen: list[tuple[str, int, Moment]] = field(default_factory=list)

    def opening(self) -> str:
        return self.system

    def turn(self, step: int, moment: Moment) -> str:
        self.seen.append(("turn", step, moment))
        return self.turns.get(step, "")

    def proposal(self, step: int, moment: Moment) -> str:
        self.seen.append(("proposal", step, moment))
        return self.proposals.get(step, "")

    def firings(self) -> tuple[Firing, ...]:
        return (Firing(0, 0, "set", True),) if self.system else ()

    def broken(self) -> tuple[BrokenCheck, ...]:
        return ()


CORRIDOR = Task("corridor-1", "Walk to the end of the corridor.", "corridor", "corridor", "test")


@dataclass
class Corridor:
    """Three doors in a row: `go on` opens the next, all else is refused. Lists no actions.

    Args:
        breaks_at: the step that breaks the world; -1 for the reset.
    """

    limit: int = 5
    breaks_at: int | None = None
    blocking: bool = False
    done_actions: list[str] = field(default_factory=list)
    name: str = "corridor"
    rules: str = "You walk. There is one action: go on."
    digest: str = "0"

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return (CORRIDOR,) if split == "test" else ()

    def step_limit(self, task: Task) -> int:
        return self.limit

    def reset(self, task: Task) -> State:
        self.done_actions = []
        if self.breaks_at == -1:
            raise WorldFault("the corridor is closed")
        return State("Door 0.")

    def step(self, action: str) -> State:
        self.done_actions.append(action)
        if self.breaks_at == len(self.done_actions):
            raise WorldFault("the corridor collapsed")
        clients = self.done_actions.count("go on")
        return State(f"Door {clients}.", done=clients == 3, refused=action != "go on")

    def outcome(self) -> Outcome:
        clients = min(self.done_actions.count("go on"), 3)
        return Outcome(clients == 3, clients / 3)

    def ground_truth(self, task: Task) -> Truth:
        return Truth("Go on.", ("go on",) * 3)

    def close(self) -> None:
        pass
