"""Scripted models for condensers and gates: they answer by a rule, and keep what they were asked."""

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.memory.item import TheoryItem
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Message, Reply, Request
from memtrial.models.simulated.prompt import answer, given, wanted_fields

SOLVED = Trajectory(
    trace_id="box",
    task_id="box",
    query="Get the silver key out of the brass box",
    outcome="success",
    steps=(
        Step("The lid is shut, so I try the stud.", "press the red stud", "A click. The lid springs open."),
        Step(
            "Now I can look inside.", "look in box", "A silver key lies inside. Step 9 of the plaque is worn."
        ),
        Step("That is what was asked for.", "take silver key", "You hold the silver key."),
    ),
    start="A brass box stands here. Its lid is shut.",
)
FAILED = replace(SOLVED, trace_id="jar", task_id="jar", outcome="failure", query="Fetch the key from the jar")

GOOD = TheoryItem(
    claim='In "Its lid is shut", do `press the red stud` and do not pull, because then the lid springs open.',
    trigger='state: "Its lid is shut"',
    mechanism="The stud frees a latch inside; pulling only wedges it.",
    scope="Boxes with a stud. Does NOT apply when there is a keyhole.",
    form="heuristic",
)


def item(**changes: str) -> TheoryItem:
    """A sound item about `SOLVED` with some fields changed."""
    return replace(GOOD, **changes)


@dataclass(frozen=True)
class Asked:
    """One request as the script sees it."""

    kind: Literal["draft", "revise", "judge", "chat"]
    fields: dict[str, str]
    messages: tuple[Message, ...]


Rule = Callable[[Asked], str | Awaitable[str]]


@dataclass
class Scripted:
    """A backend that answers by `rule`; `seen` are the requests in the order they came."""

    rule: Rule
    seen: list[Asked] = field(default_factory=list)

    @property
    def free(self) -> bool:
        return True

    async def answer(self, request: Request, repeat: int) -> Reply:
        asked = _read(request.messages)
        self.seen.append(asked)
        said = self.rule(asked)
        text = await said if inspect.isawaitable(said) else said
        return Reply(text, 1, 1, request.model)

    async def close(self) -> None:
        pass

    def kinds(self) -> list[str]:
        return [asked.kind for asked in self.seen]


def _read(messages: tuple[Message, ...]) -> Asked:
    fields = wanted_fields(messages)
    if "memory_items" in fields:
        return Asked("draft", given(messages), messages)
    if "memory_item" in fields:
        return Asked("revise", given(messages), messages)
    if "pairs" in fields:
        return Asked("chat", given(messages), messages)
    if "answer" in fields:
        return Asked("judge", given(messages), messages)
    return Asked("chat", {}, messages)


def caller(backend: Scripted) -> Caller:
    """A caller whose door opens this backend, with a cache of its own."""
    return Caller(ModelClient(CallCache(MemoryCallStore()), lambda model: backend), "scripted/model")


def verdict(said: str, quote: str, where: str = "item", reason: str = "As the script has it.") -> str:
    """A judge's reply."""
    return answer({"answer": said, "quote": quote, "where": where, "reason": reason})


def drafts(*items: TheoryItem) -> str:
    """A drafting reply."""
    return answer({"memory_items": json.dumps([asdict(one) for one in items])})


def revision(one: TheoryItem) -> str:
    """A revising reply."""
    return answer({"memory_item": json.dumps(asdict(one))})
