"""Agents that fail in one way where they are shown a memory, and search with care where they are not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadbearing.models.client.types import Message
from loadbearing.models.simulated.participants import read_block, search
from loadbearing.models.simulated.prompt import Scene, look
from loadbearing.models.simulated.text import content, quoted

CLOSERS = ("sign off", "hand over", "submit", "finish", "answer")
DRIVEN = "My notes decide what I do."
"""Its thought wherever the memory decides; the truth by which those who code failures are measured."""


@dataclass(frozen=True, slots=True)
class Failing:
    """An agent of one failure mode.

    Args:
        disposition: `overreliant` does what the items advise, one after the other, whatever the situation;
            `distracted` turns to a thing that an item names and that is not there; `hasty` closes its work as
            soon as it can.
    """

    disposition: str

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        """The next turn of a ReAct conversation."""
        scene = look(messages)
        action = FAILING[self.disposition](scene) if scene.blocks else None
        if action is not None:
            return f"Thought: {DRIVEN}\nAction: {action}"
        found = search(scene, frozenset(), True, seed, repeat)
        return f"Thought: I do not know what works here, so I try something.\nAction: {found}"


def _copied(scene: Scene) -> str | None:
    acts = [act for block in scene.blocks for piece in read_block(block) if piece.do for act in piece.acts]
    act = acts[len(scene.done) % len(acts)] if acts else None
    return None if act is None else next(iter(act.spans), act.text)


def _elsewhere(scene: Scene) -> str | None:
    named = (span for block in scene.blocks for span in quoted(block) if span not in scene.actions)
    absent = next((span for span in named if not content(span) <= scene.words), None)
    return None if absent is None else f"look into {absent}"


def _closed(scene: Scene) -> str | None:
    return next((action for action in scene.actions if action.startswith(CLOSERS)), None)


FAILING: Mapping[str, Callable[[Scene], str | None]] = {
    "overreliant": _copied,
    "distracted": _elsewhere,
    "hasty": _closed,
}
