"""What one agent did in one task."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

Verdict = Literal["success", "failure"]
StepFault = Literal["", "format", "refused", "refusal"]
"""How an action broke the rules (`refused`: those of the world); `refusal`: the model would not go on."""


@dataclass(frozen=True, slots=True)
class Step:
    """One turn.

    Args:
        thought: what the agent wrote before it acted.
        action: what it did, verbatim; where its reply held no action, the whole reply.
        observation: what the world answered.
        fault: empty for none. It stays as evidence and counts against the agent.
    """

    thought: str = ""
    action: str = ""
    observation: str = ""
    fault: StepFault = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """What stands before the agent when it acts, the input of every Trigger and check: the task's text, the
    last observation, and the action it proposes; empty before it proposed one.
    """

    task: str
    state: str
    action: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The steps and the outcome; in a file it is a trace.

    Args:
        start: the observation before the first action; empty where the log does not hold it.
        score: the world's dense score in [0, 1], or None where the log does not hold it.
        reason: why a judge took it for a success or a failure; condensers read it, as upstream's do.
    """

    trace_id: str
    task_id: str
    query: str
    outcome: Verdict
    steps: tuple[Step, ...]
    start: str = ""
    family: str = ""
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    reason: str = ""

    def moments(self) -> Iterator[Moment]:
        """Each moment at which the agent acted, with the action it then took."""
        state = self.start
        for step in self.steps:
            yield Moment(self.query, state, step.action)
            state = step.observation
        if self.steps:
            yield Moment(self.query, state)
