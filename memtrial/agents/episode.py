"""What is left of one played episode: its steps, what was sent for it, and how it ended."""

from dataclasses import dataclass

from memtrial.agents.slot import BrokenCheck, Firing
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.delivery.seen_requests import SeenRequest
from memtrial.delivery.tool_delivery import AskedMemory
from memtrial.models.client.types import Message, ModelFault
from memtrial.worlds.world import Outcome, Task


class AgentFault(ModelFault):
    """An agent's code broke, or did what no agent may. The message is one line; the trial is an error."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request of an episode: the messages from `since` up to `messages` of its conversation, in a turn
    counted from 0.

    `verbatim`: every text of it stood unchanged in what was sent. `choices`: the reply was to be one of them,
    in this order; none where it was free.
    """

    step: int
    messages: int
    key: bytes
    verbatim: bool
    since: int = 0
    choices: tuple[str, ...] = ()


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
            where half of its replies or more could not be read, the refusal where the model would not go on,
            and that it gave up where it ended the episode itself.
        conversation: all messages, exactly as they were sent or came back. An agent that begins a
            conversation anew has the messages of that one below those of the last.
        limit: the turns the agent had.
        reported: the agent itself said how it ended, by its own code; what it did there is not seen.
        handed: the texts of memory that this code took, in order; None where it took no look at its memory.
        seen: requests that it sent by itself, through a proxy, in order.
        asked: what its calls of tools for memory gave; None where its memory waits for no call.
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
    reported: bool = False
    handed: tuple[str, ...] | None = None
    seen: tuple[SeenRequest, ...] = ()
    asked: AskedMemory | None = None

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
