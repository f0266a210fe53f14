"""A scene of the workshop for tests of participants: a loom, advice about it, and what a participant does."""

import asyncio

from memtrial.agents.react import SYSTEM, TURN, parse
from memtrial.agents.slot import Slot
from memtrial.models.client.types import Message, Request
from memtrial.models.providers.open import open_backend
from memtrial.prompts.templates import cue_line

READER, GULLIBLE, SKIMMER = "simulated/reader", "simulated/gullible", "simulated/skimmer"
IGNORER, STARTLED = "simulated/ignorer", "simulated/startled"
REJECTER, KNOWS_ALREADY = "simulated/rejecter", "simulated/knows-already"
FIRST_ITEM_ONLY, MIXED_SIGN, TALKER = (
    "simulated/first-item-only",
    "simulated/mixed-sign",
    "simulated/talker",
)
ALL = (
    *(READER, GULLIBLE, SKIMMER, IGNORER, STARTLED),
    *(REJECTER, KNOWS_ALREADY, FIRST_ITEM_ONLY, MIXED_SIGN, TALKER),
)

TASK = "Get the ribbon loom in bay 7 running for sashes."
SLACK = "You stand before the ribbon loom and its panel. The belt hangs slack."
FROST = f"{SLACK} Frost shows."
OTHER = "You stand before the ribbon loom and its panel. The gauge trembles."
ADVISED, SECOND, LAST = "pull the tin lever", "inspect the ribbon sample", "sign off the loom"
PANEL = tuple(
    f"{verb} the {material} {noun}"
    for verb, noun in (("turn", "valve"), ("press", "button"), ("wind", "crank"), ("pull", "lever"))
    for material in ("zinc", "brass", "tin")
)
DUSTY = f"{SLACK} Thick dust lies on the zinc valve, the brass valve, the zinc button, the brass crank."
N = 200  # repeats: a rate of 1/12 shows up 17 times, and never with a chance of 3e-8

NATIVE = f"""# Memory Item 1
## Title Loom with a slack belt
## Description For whoever meets something similar.
## Content When the belt hangs slack, {ADVISED}, because the loom runs then."""
THEORY = f"""# Memory Item 1
## Claim In "The belt hangs slack", do `{ADVISED}`, because that leads to "The loom runs".
## Trigger state: "The belt hangs slack"
## Mechanism `{ADVISED}` moves the belt.
## Scope Looms. Does NOT apply when frost shows.
## Form heuristic"""
PROSE = f"When the belt hangs slack, {ADVISED}. When the gauge trembles, wind the zinc crank."
SCHEMAS = {"native": NATIVE, "theory": THEORY, "prose": PROSE}


def slot(*items: str) -> str:
    return Slot(cue_line(), items).text


def conversation(memory: str, *seen: str, done: tuple[str, ...] = (), actions: tuple[str, ...] = PANEL,
                 rules: str = "You run machines.") -> list[Message]:  # fmt: skip
    """The messages the agent loop would send: an observation for each turn, and what was done in between."""
    messages = [Message("system", SYSTEM.render({"rules": rules, "memory": memory}))]
    for number, observation in enumerate(seen):
        shown = {"task": "" if number else TASK, "observation": observation, "actions": actions, "memory": ""}
        messages.append(Message("user", TURN.render(shown)))
        if number < len(done):
            messages.append(Message("assistant", f"Thought: t\nAction: {done[number]}"))
    return messages


def replies(model: str, messages: list[Message], n: int = N) -> list[tuple[str, str]]:
    """Thought and action of each of `n` repeats."""
    backend, request = open_backend(model), Request(model, tuple(messages))

    async def ask() -> list[str]:
        return [(await backend.answer(request, repeat)).text for repeat in range(n)]

    return [parse(text) for text in asyncio.run(ask())]


def actions(model: str, messages: list[Message], n: int = N) -> list[str]:
    return [action for _, action in replies(model, messages, n)]


def share(model: str, messages: list[Message], action: str = ADVISED, n: int = N) -> float:
    return actions(model, messages, n).count(action) / n


def follows(model: str, messages: list[Message], action: str = ADVISED) -> bool:
    """Always does it. That it does so by chance is out of the question, and so is anything in between."""
    rate = share(model, messages, action)
    assert rate == 1 or rate < 0.3
    return rate == 1
