"""The choice agent: it answers every turn by one of the actions that its world lists, and by nothing else.

The list is closed where the model is served (`AskModel`), so that no reply can be misread: it works for
models that keep no format, and is the cheapest agent for those that do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from memtrial.agents.episode import AgentFault
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.models.client.types import Message
from memtrial.prompts.templates import Prompt
from memtrial.protocols import AskModel
from memtrial.worlds.world import State, Task

SYSTEM, TURN, WITHHELD = Prompt("choice_system"), Prompt("choice_turn"), Prompt("react_withheld")


@dataclass(frozen=True, slots=True)
class ChoiceAgent:
    """Chooses among the listed actions.

    Args:
        seed: of the spec. With the task and the repeat it sets the order in which actions are listed.
    """

    name: str = "choice"
    seed: int = 0

    @property
    def digests(self) -> tuple[str, ...]:
        """Of its templates, and of what sets the order."""
        order = sha256(f"order of actions {self.seed}".encode()).hexdigest()
        return SYSTEM.digest, TURN.digest, WITHHELD.digest, order

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        """Play one episode to its end.

        Raises:
            AgentFault: the world lists no actions.
        """
        state = await world.begin()
        query = task.query  # named once, in the first turn
        talk = [Message("system", SYSTEM.render({"rules": world.rules, "memory": memory.opening}))]
        while not state.done:
            choices = order_actions(_list_actions(state, task), self.seed, task, world.repeat)
            shown = {"task": query, "observation": state.observation, "actions": choices}
            action = await _choose(talk, ask, TURN.render({**shown, "memory": memory.turn()}), choices)
            if withheld := memory.propose(action):
                text = WITHHELD.render({"action": action, "memory": withheld})
                action = await _choose(talk, ask, text, choices)
            state = await world.act(action)
            query = ""


async def _choose(talk: list[Message], ask: AskModel, text: str, choices: Sequence[str]) -> str:
    """The model's choice in a user turn; both stay in the conversation."""
    talk.append(Message("user", text))
    reply = await ask(talk, choices)
    talk.append(Message("assistant", reply.text))
    return reply.text


@lru_cache(maxsize=1024)  # the cells of a block are shown the same actions
def order_actions(actions: tuple[str, ...], seed: int, task: Task, repeat: int) -> tuple[str, ...]:
    """The actions in an order of this block's own, each once.

    The same actions have the same order in all turns and trials of a block (a task in a repeat), whatever
    memory stands beside them, and another one in other blocks: the place of an action in the list, which
    moves a model, cannot pass for what memory does.
    """

    def draw(action: str) -> bytes:
        return sha256("\x1f".join((str(seed), task.id, str(repeat), action)).encode()).digest()

    return tuple(sorted(set(actions), key=draw))


def _list_actions(state: State, task: Task) -> tuple[str, ...]:
    if not state.actions:
        raise AgentFault(
            f"agent choice needs a world that lists the actions there are; task {task.id} lists none:"
            " name agent react or direct"
        )
    return state.actions
