"""The ReAct agent: it thinks, then acts. Blind to the arm: it asks its injection and shows what it is given.

Source: ReAct (arXiv 2210.03629), in a chat of turns; the memory's place is ReasoningBank's, below the system
prompt (UPSTREAM 3.3).
"""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, TypeVarTuple

from memtrial.agents.slot import BrokenCheck, Firing
from memtrial.agents.trajectory import Moment, Step, Trajectory
from memtrial.models.client.client import Caller, key_of
from memtrial.models.client.types import Message, Reply
from memtrial.prompts.templates import Prompt
from memtrial.protocols import Carrier, World
from memtrial.worlds.world import Outcome, State, Task

SYSTEM, TURN, WITHHELD = Prompt("react_system"), Prompt("react_turn"), Prompt("react_withheld")
# Marks, blanks and line breaks may stand between the start of a line and its label. A run of them is read
# from where it begins: tried at every line of it, it would be read over and over.
_LABELLED = r"(?:\A\W*+|(?<=\w)[^\w\n]*+\n\W*+){}(?:[^\w:]*+:)++"
THOUGHT = re.compile(_LABELLED.format("thought") + r"[*_]*+[ \t]*+", re.IGNORECASE)
ACTION = re.compile(_LABELLED.format("action") + r"[*_]*+[ \t]*+(?P<said>.*)", re.IGNORECASE)
NEXT = re.compile(r"(?i)(?:\A|(?<=\w))[^\w\n]*+\n(?=\W*+action(?:[^\w:]*+:))")
"""What ends a thought: the line break above an action, looked for in what follows the label."""
QUOTED = re.compile(r"([`\"'])(.+)\1")
T = TypeVar("T")
Given = TypeVarTuple("Given")
NO_ACTION = "Your reply could not be read: it needs a line 'Thought: ...' and below it a line 'Action: ...'."


@dataclass(frozen=True, slots=True)
class Sent:
    """One request of an episode: the first `messages` of its conversation, in a turn counted from 0.

    `verbatim`: every text of it stood unchanged in what was sent.
    """

    step: int
    messages: int
    key: bytes
    verbatim: bool


@dataclass(frozen=True, slots=True)
class Withheld:
    """An action that was not carried out at once, in a turn counted from 0.

    `then` was carried out instead, maybe the same; None where the second reply held no action.
    """

    step: int
    proposed: str
    then: str | None

    @property
    def changed(self) -> bool:
        """The agent thought better of it."""
        return self.then is None or self.then.casefold() != self.proposed.casefold()


@dataclass(frozen=True, slots=True)
class Episode:
    """One played episode.

    Args:
        outcome: the world's; its cause is the step limit where the agent ran out of turns, the broken format
            where half of its replies or more could not be read, and the refusal where it would not go on.
        conversation: all messages, the system prompt first, exactly as they were sent or came back.
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
    withheld: tuple[Withheld, ...] = ()
    broken: tuple[BrokenCheck, ...] = ()

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


@dataclass
class _Conversation:
    caller: Caller
    messages: list[Message]
    sent: list[Sent] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)

    async def ask(self, step: int, text: str) -> Reply:
        """Send a user turn."""
        self.messages.append(Message("user", text))
        request = self.caller.request(tuple(self.messages))
        reply = await self.caller.send(request)
        key = key_of(request, self.caller.repeat)
        self.sent.append(Sent(step, len(self.messages), key, reply.verbatim))
        self.messages.append(Message("assistant", reply.text))
        return reply


async def play(world: World, task: Task, caller: Caller, injection: Carrier) -> Episode:
    """One episode from reset to its end.

    Raises WorldFault or ModelFault where the infrastructure broke, HaltFault or StoreFault as
    `ModelClient.ask`.
    """
    limit = world.step_limit(task)
    state = await _call(world, world.reset, task)
    start = state.observation
    system = SYSTEM.render({"rules": world.rules, "memory": injection.opening()})
    talk, steps = _Conversation(caller, [Message("system", system)]), list[Step]()
    while not state.done and len(steps) < limit:
        step, state = await _turn(world, task, talk, injection, len(steps), state)
        steps.append(step)
    outcome = await _call(world, world.outcome)
    if steps and steps[-1].fault == "refusal":
        outcome = Outcome(False, outcome.score, "refusal")
    elif not outcome.success and not outcome.cause and not state.done:
        broken = 2 * sum(step.fault == "format" for step in steps) >= len(steps) > 0
        outcome = Outcome(False, outcome.score, "broken format" if broken else "step limit")
    messages, sent, withheld = tuple(talk.messages), tuple(talk.sent), tuple(talk.withheld)
    fired, broken_checks = injection.firings(), injection.broken()
    return Episode(task, start, tuple(steps), outcome, fired, messages, sent, limit, withheld, broken_checks)


def turn_text(task: Task, state: State, memory: str = "", number: int = 0) -> str:
    """A turn as the agent is shown it, with the memory injected there; the first one names the task."""
    shown = {
        "task": "" if number else task.query,
        "observation": state.observation,
        "actions": state.actions or (),
        "memory": memory,
    }
    return TURN.render(shown)


async def _turn(
    world: World, task: Task, talk: _Conversation, injection: Carrier, number: int, state: State
) -> tuple[Step, State]:
    memory = injection.turn(number, Moment(task.query, state.observation))
    reply = await talk.ask(number, turn_text(task, state, memory, number))
    thought, action = parse(reply.text)
    if action is not None and reply.stop != "refusal":
        held = injection.proposal(number, Moment(task.query, state.observation, action))
        if held:
            proposed = action
            reply = await talk.ask(number, WITHHELD.render({"action": proposed, "memory": held}))
            thought, action = parse(reply.text)
            talk.withheld.append(Withheld(number, proposed, action))
    if reply.stop == "refusal":
        # the provider's word: a conversation in which it refused cannot go on
        return Step(thought, reply.text, "", "refusal"), State("", None, done=True)
    if action is None:
        # kept as evidence: a broken format is the agent's doing and costs it a turn
        seen = state.observation.removeprefix(NO_ACTION).lstrip()  # said once, however often it happens
        step = Step(thought, reply.text, NO_ACTION, "format")
        return step, State(f"{NO_ACTION} {seen}", state.actions, state.done)
    after = await _call(world, world.step, action)
    return Step(thought, action, after.observation, "refused" if after.refused else ""), after


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


async def _call(world: World, method: Callable[[*Given], T], *given: *Given) -> T:
    """Call the world; one that waits on something outside Python does so in a thread."""
    return await asyncio.to_thread(method, *given) if world.blocking else method(*given)
