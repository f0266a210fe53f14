"""An instruction that was tuned: the file that `tune` writes, and that a spec names."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memtrial.prompts.plain_text import text_of

MOST_BYTES = 4 * 1024 * 1024
Rate = tuple[float, float, float]
"""A share or a difference, with the ends of its 95 % interval."""


class TunedFault(ValueError):
    """A file of a tuned instruction that cannot be used. One line: what was needed, what came."""


class Scored(BaseModel):
    """The mean score on the half that was kept apart, in [0, 1]; for a gate the rates, too.

    Args:
        difference: after - before, over the same examples.
        hit_rate, false_alarm_rate: before and after.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    before: float
    after: float
    difference: Rate
    hit_rate: tuple[Rate, Rate] | None = None
    false_alarm_rate: tuple[Rate, Rate] | None = None


class Tuned(BaseModel):
    """A tuned instruction.

    Args:
        key: `instruction_key` of what it replaces; where that has changed since, the file is stale.
        simulated: a simulated or scripted model was tuned; no evidence about language models.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    subject: str
    method: str
    model: str
    reflection: str
    simulated: bool
    key: str
    instructions: str = Field(min_length=1)
    demos: tuple[dict[str, str], ...] = ()
    trained: tuple[str, ...]
    kept: tuple[str, ...]
    scored: Scored


def load_tuned(path: Path) -> Tuned:
    """A file that `tune` wrote; TunedFault where it cannot be read, or is no such file."""
    needed = "a tuned instruction needs a file that `memtrial tune` wrote"
    text = text_of(path, needed, TunedFault, MOST_BYTES)
    try:
        return Tuned.model_validate_json(text)
    except ValidationError as fault:
        raise TunedFault(f"{needed}; {path}: {fault.errors()[0]['msg']}") from fault
