"""What is kept of a stream: a row a task, and the steps of the loop in their order."""

from dataclasses import dataclass
from typing import Literal

from memtrial.judges.verdict_words import Label

Span = Literal["retrieve", "play", "judge", "distil", "keep", "use", "consolidate"]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task of one arm in one stream.

    Args:
        position: of the task in its stream, from 0.
        solved: what the world says of what was handed in; None for an error.
        score: the world's, in [0, 1]; None for an error.
        judged: what the judge says of it; empty where that could not be read.
        tries: episodes that were played.
        solved_tries: of these, those that the world takes for solved.
        n_steps: of what was handed in.
        calls: requests of the agent, over all tries.
        writer_calls: requests for what was learnt.
        usd: of the agent's and the writer's; None where a price is not known.
        shown, cited: items of the bank, by id.
        new_items: by id.
        unread: replies of the writer that could not be read, and items that were dropped.
        error: why there is no outcome; empty for none.
    """

    backbone: str
    arm: str
    stream: int
    position: int
    task: str
    family: str
    solved: bool | None
    score: float | None
    judged: Label = ""
    tries: int = 0
    solved_tries: int = 0
    n_steps: int = 0
    calls: int = 0
    writer_calls: int = 0
    usd: float | None = 0.0
    shown: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    new_items: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One step of the loop at one task (REQUIREMENTS R-02), in the order in which they were done.

    Args:
        step: of the episode, from 0, at which a bank was searched in its midst; else 0.
        query: what the bank was searched by, where that is more than the task's text.
    """

    stream: int
    arm: str
    position: int
    span: Span
    what: str
    step: int = 0
    query: str = ""


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """All that is left of one arm's stream.

    Args:
        items: active items of its bank at the end.
    """

    rows: tuple[TaskRow, ...]
    spans: tuple[SpanRow, ...]
    items: int = 0
