"""The control: ReasoningBank's native condenser. One call a trajectory, by its outcome; its reply is shown.

Source: UPSTREAM 3.4 (`induce_memory.py`); the prompts come from `prompts.control`.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.condensers.condenser import Condensation
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View, render
from loadbearing.memory.item import ProseItem
from loadbearing.memory.markdown import parse_all
from loadbearing.models.client.client import Caller
from loadbearing.models.client.types import Message
from loadbearing.prompts.control import ControlPrompts

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
        instruction = self.prompts.success if trajectory.outcome == "success" else self.prompts.failure
        text = render(trajectory, self.view)
        reply = (await self.caller.ask((Message("system", instruction), Message("user", text)))).text
        if not reply.strip():
            return Condensation(trajectory.trace_id, self.name, (), faults=(BLANK,), reply="")
        items = parse_all(reply) or (ProseItem(reply),)
        return Condensation(trajectory.trace_id, self.name, items, reply=reply)
