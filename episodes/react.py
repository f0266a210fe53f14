"""The ReAct agent: it thinks, then acts. Blind to the arm: it asks its injection and shows what it is given.

Source: ReAct (arXiv 2210.03629), in a chat of turns; the memory's place is ReasoningBank's, below the system
prompt (UPSTREAM 3.3).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, ParamSpec, TypeVar

from loadbearing.environments.world import Outcome, State, Task, World
from loadbearing.episodes.injection import Firing, Injection
from loadbearing.episodes.trajectory import Moment, Step, Trajectory
from loadbearing.models.client.client import Caller, key_of
from loadbearing.models.client.types import Message, Reply
from loadbearing.prompts.templates import Prompt

SYSTEM, TURN, WITHHELD = Prompt("react_system"), Prompt("react_turn"), Prompt("react_withheld")
# Marks, blanks and line breaks may stand between the start of a line and its label. A run of them is read
# from where it begins: tried at every line of it, it would be read over and over.
_LABELLED = r"(?:\A\W*+|(?<=\w)[^\w\n]*+\n\W*+){}(?:[^\w:]*+:)++"
THOUGHT = re.compile(_LABELLED.format("thought") + r"[*_]*+[ \t]*+", re.IGNORECASE)
ACTION = re.compile(_LABELLED.format("action") + r"[*_]*+[ \t]*+(?P<said>.*)", re.IGNORECASE)
NEXT = re.compile(r"(?:\A|(?<=\w))[^\w\n]*+\n(?=\W*+action(?:[^\w:]*+:))", re.IGNORECASE)
"""What ends a thought: the line break above an action, looked for in what follows the label."""
QUOTED = re.compile(r"([`\"'])(.+)\1")
P = ParamSpec("P")
T = TypeVar("T")
NO_ACTION = "Your reply could not be read: it needs a line 'Thought: ...' and below it a line 'Action: ...'."


@dataclass(frozen=True, slots=True)
class Sent:
    """One request of an episode: the first `messages` of its conversation.

    Args:
        step: the turn it belongs to, counted from 0.
        key: the key of the call.
        verbatim: every text of it stood unchanged in what was sent.
    """

    step: int
    messages: int
    key: bytes
    verbatim: bool


@dataclass(frozen=True, slots=True)
class Episode:
    """One played episode.

    Args:
        outcome: the world's; its cause is the step limit where the agent ran out of turns, and the refusal
            where the model would not go on.
        conversation: all messages, the system prompt first, exactly as they were sent or came back.
        sent: every request, in order.
        limit: the turns the agent had.
    """

    task: Task
    start: str
    steps: tuple[Step, ...]
    outcome: Outcome
    firings: tuple[Firing, ...]
    conversation: tuple[Message, ...]
    sent: tuple[Sent, ...]
    limit: int

    def trajectory(self) -> Trajectory:
        """The episode as a trace, for condensers."""
        return Trajectory(
            trace_id=self.task.id,
            task_id=self.task.id,
            query=self.task.query,
            outcome="success" if self.outcome.success else "failure",
            steps=self.steps,
            start=self.start,
            family=self.task.family,
            score=self.outcome.score,
        )


@dataclass(frozen=True, slots=True)
class Said:
    """One reply, read.

    Args:
        action: None where the reply holds none.
    """

    thought: str
    action: str | None
    whole: str
    refusal: bool


@dataclass
class Turns:
    """The conversation so far."""

    caller: Caller
    messages: list[Message]
    sent: list[Sent] = field(default_factory=list)

    async def ask(self, step: int, text: str) -> Said:
        """Send a user turn, and read the reply."""
        self.messages.append(Message("user", text))
        request = self.caller.request(tuple(self.messages))
        reply: Reply = await self.caller.send(request)
        key = key_of(request, self.caller.repeat)
        self.sent.append(Sent(step, len(self.messages), key, reply.verbatim))
        self.messages.append(Message("assistant", reply.text))
        thought, action = parse(reply.text)
        return Said(thought, action, reply.text, reply.stop == "refusal")


async def play(world: World, task: Task, caller: Caller, injection: Injection) -> Episode:
    """One episode from reset to its end.

    Raises:
        WorldFault, ModelFault: the infrastructure broke; nothing is concluded about the agent.
        HaltFault, StoreFault: nothing more may be sent.
    """
    limit = world.step_limit(task)
    state = await _call(world, world.reset, task)
    start = state.observation
    system = SYSTEM.render({"rules": world.rules, "memory": injection.opening()})
    turns = Turns(caller, [Message("system", system)])
    steps: list[Step] = []
    while not state.done and len(steps) < limit:
        step, state = await _turn(world, task, turns, injection, len(steps), state)
        steps.append(step)
    outcome = await _call(world, world.outcome)
    if steps and steps[-1].fault == "refusal":
        outcome = Outcome(False, outcome.score, "refusal")
    elif not outcome.success and not outcome.cause:
        outcome = Outcome(False, outcome.score, "" if state.done else "step limit")
    said = tuple(turns.messages)
    return Episode(task, start, tuple(steps), outcome, injection.firings(), said, tuple(turns.sent), limit)


async def _turn(
    world: World, task: Task, turns: Turns, injection: Injection, number: int, state: State
) -> tuple[Step, State]:
    moment = Moment(task.query, state.observation)
    shown = {
        "task": "" if number else task.query,
        "observation": state.observation,
        "actions": state.actions or (),
        "memory": injection.turn(number, moment),
    }
    said = await turns.ask(number, TURN.render(shown))
    if said.action is not None and not said.refusal:
        held = injection.proposal(number, Moment(task.query, state.observation, said.action))
        if held:
            again = WITHHELD.render({"action": said.action, "memory": held})
            said = await turns.ask(number, again)
    if said.refusal:
        # the provider's word: a conversation in which it refused cannot go on
        return Step(said.thought, said.whole, "", "refusal"), State("", None, done=True)
    if said.action is None:
        # kept as evidence: a broken format is the agent's doing and costs it a turn
        seen = state.observation.removeprefix(NO_ACTION).lstrip()  # said once, however often it happens
        step = Step(said.thought, said.whole, NO_ACTION, "format")
        return step, State(f"{NO_ACTION} {seen}", state.actions, state.done)
    after = await _call(world, world.step, said.action)
    fault: Literal["", "refused"] = "refused" if after.refused else ""
    return Step(said.thought, said.action, after.observation, fault), after


def parse(reply: str) -> tuple[str, str | None]:
    """The thought and the action of a reply; None where it lacks either, or acts before it thinks."""
    thought, action = THOUGHT.search(reply), ACTION.search(reply)
    rest = reply[thought.end() :] if thought else ""
    ends = NEXT.search(rest)
    reason, act = rest[: ends.end() if ends else None].strip(), action["said"].strip() if action else ""
    if thought is None or action is None or not reason or thought.start() > action.start():
        return reason, None
    # quotation marks around the whole are the agent's manner; inside they belong to the action
    whole = QUOTED.fullmatch(act)
    return reason, (whole[2].strip() if whole and whole[1] not in whole[2] else act) or None


async def _call(world: World, method: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call the world; one that waits on something outside Python does so in a thread."""
    if world.blocking:
        return await asyncio.to_thread(method, *arguments, **named)
    return method(*arguments, **named)
