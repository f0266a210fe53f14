"""An agent in plain Python: a callable from a task and its memory to a score, with or without a model to ask.

It plays by its own code, wherever that runs, and what it returns is the outcome of its task. It is called as
`(task, memory)` or `(task, memory, ask)`; a plain function works in a thread of its own, so that it may wait.
"""

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from memtrial.agents.episode import AgentFault
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.faults import SpecFault
from memtrial.models.client.types import Message, Reply
from memtrial.plugins.load_plugin import UserCode, parameters_of
from memtrial.protocols import AskModel
from memtrial.worlds.world import Outcome, Task

CALLED = "an agent is called as (task, memory), or (task, memory, ask)"
NEEDED = "a score from 0 to 1, True or False, or an Outcome is needed"
PLAIN_MESSAGES = "messages are a text, or a list of Message or of {'role', 'content'}"
CLASSIC = 4
"""Arguments of an agent that acts in a world: task, world, memory, ask."""


def takes_ask(thing: Any) -> bool:
    """Whether a callable names an `ask`, as its third argument; SpecFault where it fits no such call."""
    named = parameters_of(thing)
    needed = [name for name, parameter in named.items() if parameter.default is parameter.empty]
    if len(named) < 2 or len(needed) > 3 or (len(needed) == 3 and needed[2] != "ask"):
        raise SpecFault(f"{CALLED}; this one takes ({', '.join(named)})")
    return "ask" in named


def acts_in_world(thing: Any) -> bool:
    """Whether a callable is an agent that acts in a world, `(task, world, memory, ask)`."""
    named = parameters_of(thing)
    needed = [name for name, parameter in named.items() if parameter.default is parameter.empty]
    return "world" in named or len(needed) >= CLASSIC or not named


@dataclass(frozen=True, slots=True)
class FunctionAgent:
    """A user's callable as an agent of ours; what it raises is an error of the trial, with the line.

    Args:
        make: the callable for one episode: a class is made anew, a function is itself.
        source: its file and name, for messages.
    """

    make: Callable[[], Any]
    source: str
    name: str
    digests: tuple[str, ...]

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        """Do one task, and report its outcome."""
        await world.begin()
        where = f"agent {self.name}, task {task.id},"
        with UserCode(where, AgentFault, self.source):
            thing = self.make()
            is_async = inspect.iscoroutinefunction(thing) or inspect.iscoroutinefunction(
                getattr(thing, "__call__", None)  # noqa: B004
            )
            asked = [PlainAsk(ask, asyncio.get_running_loop(), is_async)] if takes_ask(thing) else []
            if is_async:
                made = await thing(task, memory, *asked)
            else:
                made = await asyncio.to_thread(thing, task, memory, *asked)
                made = await made if inspect.isawaitable(made) else made
        world.report(read_outcome(made, where))


def read_outcome(made: object, where: str) -> Outcome:
    """What an agent returned as an outcome; AgentFault where it is none."""
    if isinstance(made, Outcome):
        return made
    # a truth value of numpy is no bool of Python
    if isinstance(made, bool) or type(made).__name__ == "bool":
        return Outcome(bool(made), float(bool(made)))
    if isinstance(made, Real) and 0 <= float(made) <= 1:
        return Outcome(float(made) >= 1, float(made))
    raise AgentFault(f"{where} returned {made!r:.60}; {NEEDED}")


@dataclass(frozen=True, slots=True)
class PlainAsk:
    """`ask(messages)` for a user's code: to be awaited in an async one, and waited for in a plain one.

    Args:
        loop: where the episode is played; a plain function works in another thread.
    """

    ask: AskModel
    loop: asyncio.AbstractEventLoop
    is_async: bool

    def __call__(self, messages: str | Sequence[Message | Mapping[str, Any]]) -> Any:
        """The reply, whose `text` is what the model said; as an awaitable in async code."""
        talk = self._send(as_messages(messages))
        return talk if self.is_async else asyncio.run_coroutine_threadsafe(talk, self.loop).result()

    def lm(self) -> Any:
        """A language model of DSPy whose requests come through here: `with dspy.context(lm=ask.lm()): …`."""
        from memtrial.models.client.structured import lm_through

        return lm_through(AskedModel(self.ask), self.loop)

    async def _send(self, messages: tuple[Message, ...]) -> Reply:
        return await self.ask(messages)


@dataclass(frozen=True)
class AskedModel:
    """An `ask` in the place of a caller."""

    ask: AskModel
    model: str = "memtrial/ask"


def as_messages(given: str | Sequence[Message | Mapping[str, Any]]) -> tuple[Message, ...]:
    """What was given as messages; a text alone is the user's. AgentFault where it is something else."""
    if isinstance(given, str):
        return (Message("user", given),)
    try:
        return tuple(
            message if isinstance(message, Message) else Message(message["role"], message["content"])
            for message in given
        )
    except (TypeError, KeyError) as fault:
        raise AgentFault(f"{PLAIN_MESSAGES}; got {type(given).__name__}") from fault
