"""The shortest agent: it shows what it sees, and takes the reply for its action."""

from dataclasses import dataclass
from hashlib import sha256

from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.models.client.types import Message
from memtrial.protocols import AskModel
from memtrial.worlds.world import Task

FORM = "Answer every turn with one action and nothing else."
WITHHELD = "Not carried out yet. Read this, and answer again."


@dataclass(frozen=True, slots=True)
class DirectAgent:
    """Acts without a thought. What stands before a label `Action:` in its reply is passed over."""

    name: str = "direct"
    digests: tuple[str, ...] = (sha256((FORM + WITHHELD).encode()).hexdigest(),)

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        """Play one episode to its end."""
        state = await world.begin()
        talk = [Message("system", join(world.rules, FORM, memory.opening)), Message("user", task.query)]
        while not state.done:
            choices = f"Actions: {' | '.join(state.actions)}" if state.actions else ""
            talk.append(Message("user", join(f"Observation: {state.observation}", choices, memory.turn())))
            action = await self._answer(talk, ask)
            if withheld := memory.propose(action):
                talk.append(Message("user", join(WITHHELD, withheld)))
                action = await self._answer(talk, ask)
            state = await world.act(action)

    async def _answer(self, talk: list[Message], ask: AskModel) -> str:
        """The action of the model's reply, which stays in the conversation."""
        reply = await ask(talk)
        talk.append(Message("assistant", reply.text))
        return reply.text.rpartition("Action:")[2].strip()


def join(*texts: str) -> str:
    """The texts that are not empty, a blank line between two."""
    return "\n\n".join(filter(None, texts))
