"""The protocol every world speaks: single-turn questions and multi-turn text worlds alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Split = Literal["train", "test"]


class WorldFault(RuntimeError):
    """The world broke (a dead JVM, a lost socket). Infrastructure: an error, never a failure of the agent."""


class UnscoredFault(WorldFault):
    """The world scores nothing: how its task went is for the agent to report."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do.

    Args:
        id: unique within the world; the same id is the same task in every run.
        query: what the agent is asked, and the key of retrieval.
        family: tasks of one family share what can be learned; a donor slot never comes from the same one.
        template: tasks of one template differ in names only.
        split: memory comes from `train`, trials are played on `test`.
        row: further fields of a task that somebody gave as a row, for the agent's own code; `task["answer"]`.
    """

    id: str
    query: str
    family: str
    template: str
    split: Split
    row: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)

    def __getitem__(self, name: str) -> object:
        """A further field of its row; KeyError where there is none."""
        return self.row[name]


@dataclass(frozen=True, slots=True)
class State:
    """What the world shows after a reset or a step.

    `actions` are the admissible ones, None where the world lists none. `refused`: the world did not accept
    the last action, which counts against the agent.
    """

    observation: str
    actions: tuple[str, ...] | None = None
    done: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What an agent's own calls took, where it reports them; `usd` is None where it is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the episode stands: solved in full, the share that is done, in [0, 1], and why it failed.

    `usage` is of calls that the agent made by itself: those through `ask` are counted already.
    """

    success: bool
    score: float
    cause: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Proposition:
    """One true rule of a family in its parts, so that it can be written down in any schema.

    Each part is a clause of prose without the words that join it, and names no single task.

    Args:
        situation: what stands there when the rule applies: `the lamp glows`. All of its content words stand
            in the text that `where` names.
        action: what to do then, in the imperative: `turn the valve`.
        why: what that brings: `the kiln runs`.
        unless: what stands there where it does not hold; empty where it always holds.
        where: the text that shows the situation: the last observation, or the task.
    """

    situation: str
    action: str
    why: str
    unless: str = ""
    where: Literal["state", "task"] = "state"

    def __post_init__(self) -> None:
        """Raises ValueError for a part that is missing, or that would not fit into a sentence."""
        parts = (self.situation, self.action, self.why, self.unless)
        odd = any("\n" in part or "|" in part for part in parts) or self.where not in ("state", "task")
        if odd or not all(part.strip() for part in parts[:3]):
            raise ValueError(
                "a proposition needs a situation, an action and a why, each in one line and without |, and"
                f" stands in 'state' or 'task'; got {self}"
            )


@dataclass(frozen=True, slots=True)
class Truth:
    """What the world knows about a task; only arms with true memory and expert traces may read it.

    Args:
        lesson: prose that would let an agent solve this task and its like.
        proposition: the rule of the task's family that this task calls for; None where the world states none.
        further: the other rules of the family, where it has several.
        answers: texts that only somebody who has seen this task's solution can say. The leakage guard looks
            for them in memories; one that the task itself says does not count.
    """

    lesson: str
    path: tuple[str, ...]
    proposition: Proposition | None = None
    further: tuple[Proposition, ...] = ()
    answers: tuple[str, ...] = ()
