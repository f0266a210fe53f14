"""The baselines: a condenser that stores nothing, one that condenses nothing away, and the control.

The control is ReasoningBank's native condenser. One call a trajectory, by its outcome; its reply is shown.
Source: UPSTREAM 3.4 (`induce_memory.py`); the prompts come from `prompts.control`.
"""

from dataclasses import dataclass

from loadbearing.condensers.condenser import Condensation
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View, recount, render
from loadbearing.memory.item import ProseItem
from loadbearing.memory.markdown import parse_all
from loadbearing.models.client.client import Caller
from loadbearing.models.client.types import Message
from loadbearing.prompts.control import ControlPrompts


@dataclass(frozen=True)
class Nothing:
    """Every record stays empty, so every slot of its arm is."""

    name: str = "nothing"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        return Condensation(trajectory.trace_id, self.name, ())


@dataclass(frozen=True)
class Raw:
    """One prose item a trajectory: the task, the numbered steps, the outcome. No model is asked.

    Source: the raw experience of arXiv 2601.22436, to which the condensed one is compared.
    """

    view: View = "full"
    name: str = "raw"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        return Condensation(trajectory.trace_id, self.name, (ProseItem(recount(trajectory, self.view)),))


BLANK = "the reply is blank"


@dataclass(frozen=True)
class Native:
    """Title / Description / Content, unchecked: the fair baseline.

    The agent is shown the reply as the model wrote it, as upstream shows it. It is parsed for tables only;
    what holds no item that can be read is one item of prose.
    """

    caller: Caller
    prompts: ControlPrompts
    view: View = "full"
    name: str = "native"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Ask once, keep all of it.

        Raises:
            ModelFault: no answer could be had.
        """
        reply = (await self.caller.ask(native_messages(self.prompts, trajectory, self.view))).text
        if not reply.strip():
            return Condensation(trajectory.trace_id, self.name, (), faults=(BLANK,), reply="")
        items = parse_all(reply) or (ProseItem(reply),)
        return Condensation(trajectory.trace_id, self.name, items, reply=reply)


def native_messages(prompts: ControlPrompts, trajectory: Trajectory, view: View) -> tuple[Message, ...]:
    """As upstream asks; the paper's harness in one message of the user, and without marks in its headings."""
    instruction = prompts.success if trajectory.outcome == "success" else prompts.failure
    if prompts.layout == "harness":
        return (Message("user", f"{instruction}\n\n{render(trajectory, view, bold='')}"),)
    return Message("system", instruction), Message("user", render(trajectory, view))
