"""What a log of somebody else's holds: runs, and what was left out of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

StatedOutcome = Literal["success", "failure", ""]
"""What the log says of the task itself; empty where it says nothing."""


class LogFault(ValueError):
    """A log cannot be read. The message is one line and says what was needed and what came."""


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """One reply of the model, with what it called and what came back.

    Args:
        thought: what the model wrote before it acted.
        action: its calls, verbatim; where it called nothing, the whole reply.
        observation: the results of the calls, or what the user said next.
        moment: when it was said, as text that sorts by time; empty where the log does not say.
    """

    thought: str
    action: str
    observation: str = ""
    moment: str = ""


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """One run of an agent, from its task to its end.

    Args:
        name: unique in its file.
        task: the name of the task; empty where the log holds none.
        query: the task as the agent was told it.
        source: what stated the outcome, in words; empty where nothing did.
        score: in [0, 1]; None where the log holds none.
        reason: why a judge took it for a success or a failure.
        family: the kind of task, where the log names it.
        session: what joins the parts of a run that several files hold; empty where one holds all of it.
        nested: a part that another run started, as a sub-agent's.
        hints: fields that look like an outcome and were not taken for one.
        start: what stood before the agent at first.
        batch: what a request of a batch and its reply, a nested part of it, have in common; empty for all
            else.
    """

    name: str
    task: str
    query: str
    turns: tuple[LoggedTurn, ...]
    outcome: StatedOutcome = ""
    source: str = ""
    score: float | None = None
    reason: str = ""
    family: str = ""
    session: str = ""
    nested: bool = False
    hints: tuple[str, ...] = ()
    start: str = ""
    batch: str = ""


@dataclass
class LogRemainder:
    """What a reader passes over, counted by why."""

    counts: Counter[str] = field(default_factory=Counter)
    records: int = 0

    def note(self, why: str, many: int = 1) -> None:
        self.counts[why] += many


@dataclass(frozen=True, slots=True)
class LogReading:
    """What one file held.

    Args:
        records: lines, objects, samples or blocks, as the format counts.
        left_out: how many records, or parts of them, are in no run, by why.
    """

    runs: tuple[LoggedRun, ...]
    records: int
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def whole(self) -> int:
        """How many of the runs have a reply; a request of a batch has none."""
        return sum(run.nested or not run.batch for run in self.runs)

    def steps(self) -> Iterator[LoggedTurn]:
        for run in self.runs:
            yield from run.turns
