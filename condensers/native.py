"""The control: ReasoningBank's native condenser. One call a trajectory, by its outcome; at most three items.

Source: UPSTREAM 3.4 (`induce_memory.py`); the prompts come from `prompts.control`.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Dropped
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View, render
from loadbearing.memory.markdown import parse_all
from loadbearing.memory.markdown import render as render_item
from loadbearing.models.client.client import Caller
from loadbearing.models.client.types import Message
from loadbearing.prompts.control import ControlPrompts

UNREADABLE = "no memory item could be read in the reply"


@dataclass(frozen=True)
class Native:
    """Title / Description / Content, unchecked: the fair baseline."""

    caller: Caller
    prompts: ControlPrompts
    view: View = "full"
    name: str = "native"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Ask once, keep what can be read.

        Raises:
            ModelFault: no answer could be had.
        """
        instruction = self.prompts.success if trajectory.outcome == "success" else self.prompts.failure
        text = render(trajectory, self.view)
        reply = await self.caller.ask((Message("system", instruction), Message("user", text)))
        found = parse_all(reply.text)
        dropped = [
            Dropped(render_item(item, number), f"more than {MOST_ITEMS} items")
            for number, item in enumerate(found[MOST_ITEMS:], MOST_ITEMS + 1)
        ]
        if not found and reply.text.strip():
            dropped.append(Dropped(reply.text, UNREADABLE))
        faults = () if found else (UNREADABLE,)
        return Condensation(
            trajectory.trace_id, self.name, found[:MOST_ITEMS], dropped=tuple(dropped), faults=faults
        )
