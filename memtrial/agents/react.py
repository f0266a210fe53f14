"""The ReAct agent: it thinks, then acts. Blind to the arm: it shows the memory that it is given.

Source: ReAct (arXiv 2210.03629), in a chat of turns; the memory's place is ReasoningBank's, below the system
prompt (UPSTREAM 3.3).
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.models.client.types import Message, Reply
from memtrial.prompts.templates import Prompt
from memtrial.protocols import AskModel
from memtrial.worlds.world import State, Task

SYSTEM, TURN, WITHHELD = Prompt("react_system"), Prompt("react_turn"), Prompt("react_withheld")
# Marks, blanks and line breaks may stand between the start of a line and its label. A run of them is read
# from where it begins: tried at every line of it, it would be read over and over.
_LABELLED = r"(?:\A\W*+|(?<=\w)[^\w\n]*+\n\W*+){}(?:[^\w:]*+:)++"
THOUGHT = re.compile(_LABELLED.format("thought") + r"[*_]*+[ \t]*+", re.IGNORECASE)
ACTION = re.compile(_LABELLED.format("action") + r"[*_]*+[ \t]*+(?P<action>.*)", re.IGNORECASE)
NEXT = re.compile(r"(?i)(?:\A|(?<=\w))[^\w\n]*+\n(?=\W*+action(?:[^\w:]*+:))")
"""What ends a thought: the line break above an action, looked for in what follows the label."""
QUOTED = re.compile(r"([`\"'])(.+)\1")
NO_ACTION = "Your reply could not be read: it needs a line 'Thought: ...' and below it a line 'Action: ...'."


@dataclass(frozen=True, slots=True)
class ReAct:
    """Thinks, acts, and sees what came of it, in one conversation a task."""

    name: str = "react"

    @property
    def digests(self) -> tuple[str, ...]:
        """Of its templates."""
        return SYSTEM.digest, TURN.digest, WITHHELD.digest

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        """Play one episode to its end."""
        state = await world.begin()
        query = task.query  # named once, in the first turn
        messages = [Message("system", SYSTEM.render({"rules": world.rules, "memory": memory.opening}))]
        while not state.done:
            reply = await _send(messages, ask, _turn_text(query, state, memory.turn()))
            thought, action = parse(reply.text)
            if action is not None and reply.stop != "refusal" and (withheld := memory.propose(action)):
                text = WITHHELD.render({"action": action, "memory": withheld})
                reply = await _send(messages, ask, text)
                thought, action = parse(reply.text)
            if action is None:
                # a broken format is the agent's doing and costs it a turn
                state = await world.misread(reply.text, NO_ACTION, thought)
            else:
                state = await world.act(action, thought)
            query = ""


async def _send(messages: list[Message], ask: AskModel, text: str) -> Reply:
    """The reply to a user turn; both stay in the conversation."""
    messages.append(Message("user", text))
    reply = await ask(messages)
    messages.append(Message("assistant", reply.text))
    return reply


@lru_cache(maxsize=256)  # trials of a block begin alike; so few that long texts take little memory
def _turn_text(query: str, state: State, memory: str) -> str:
    """A turn as the agent is shown it: the task where it is new, what is observed, and the memory that
    enters."""
    shown = {
        "task": query,
        "observation": state.observation,
        "actions": state.actions or (),
        "memory": memory,
    }
    return TURN.render(shown)


@lru_cache(maxsize=256)  # the same short replies come again and again
def parse(reply: str) -> tuple[str, str | None]:
    """The thought and the action of a reply; None where it lacks either, or acts before it thinks."""
    thought, action = THOUGHT.search(reply), ACTION.search(reply)
    rest = reply[thought.end() :] if thought else ""
    ends = NEXT.search(rest)
    reason, act = rest[: ends.end() if ends else None].strip(), action["action"].strip() if action else ""
    if thought is None or action is None or not reason or thought.start() > action.start():
        return reason, None
    # quotation marks around the whole are the agent's manner; inside they belong to the action
    whole = QUOTED.fullmatch(act)
    return reason, (whole[2].strip() if whole and whole[1] not in whole[2] else act) or None
