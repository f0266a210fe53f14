"""A Trigger: typed cues that must all hold before a memory speaks."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.episodes.trajectory import Moment
from loadbearing.memory.cue import Cue, CueFault, compile_cue, split_cues


class TriggerFault(ValueError):
    """A Trigger text that does not compile. The message is one line and says what was needed."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A compiled Trigger.

    Args:
        text: as written.
        cues: the conditions, in the order written; at least one.
    """

    text: str
    cues: tuple[Cue, ...]

    @property
    def needs_action(self) -> bool:
        """It can hold only once an action is proposed."""
        return any(cue.kind == "action" for cue in self.cues)

    def holds(self, moment: Moment) -> bool:
        """Whether every cue holds."""
        return all(cue.holds(moment) for cue in self.cues)

    def why(self, moment: Moment) -> str:
        """The cues that hold, as written, joined by ` | `; empty where none does."""
        return " | ".join(cue.text for cue in self.cues if cue.holds(moment))


def compile_trigger(text: str) -> Trigger:
    """A Trigger from its text, such as `task: order history | state: "Next" | action: answer`.

    Raises:
        TriggerFault: empty, or a part of it is no cue.
    """
    if not text.strip():
        raise TriggerFault("a Trigger needs at least one cue such as 'state: \"Next\"', got an empty text")
    try:
        return Trigger(text, tuple(compile_cue(part) for part in split_cues(text)))
    except CueFault as fault:
        raise TriggerFault(f"Trigger does not compile: {fault}") from fault
