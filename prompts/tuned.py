"""An instruction that was tuned: the file that `tune` writes, and that a spec names."""

from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MOST_BYTES = 4 * 1024 * 1024


class TunedFault(ValueError):
    """A file of a tuned instruction that cannot be used. One line: what was needed, what came."""


class Scored(BaseModel):
    """The score on the half that was kept apart, with the shipped instruction and with the tuned one.

    Args:
        difference: after - before, mean over examples, with its 95 % interval.
        hit_rate, false_alarm_rate: of a gate, before and after, each with its 95 % interval.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    before: float
    after: float
    difference: tuple[float, float, float]
    hit_rate: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    false_alarm_rate: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None


class Tuned(BaseModel):
    """A tuned instruction.

    Args:
        subject: a gate's name, or `draft`.
        replaces: sha256 of the shipped instruction; another one makes this file stale.
        trained, kept: ids of the examples of both halves.
        simulated: the tuned model is a simulated or scripted one; no evidence about language models.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    subject: str
    method: str
    model: str
    reflection: str
    replaces: str
    instructions: str = Field(min_length=1)
    demos: tuple[dict[str, str], ...] = ()
    trained: tuple[str, ...]
    kept: tuple[str, ...]
    scored: Scored
    simulated: bool = False

    @property
    def digest(self) -> str:
        """Sha256 of what is shown to the model."""
        shown = self.model_copy(update={"subject": ""}).model_dump_json(include={"instructions", "demos"})
        return digest_of(shown)


def digest_of(text: str) -> str:
    """Sha256 of a text, in hex."""
    return sha256(text.encode()).hexdigest()


def load_tuned(path: Path) -> Tuned:
    """A file that `tune` wrote.

    Raises:
        TunedFault: it cannot be read, or is no such file.
    """
    needed = "a tuned instruction needs a file that `loadbearing tune` wrote"
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise TunedFault(f"{needed}; {path} is no file, or is larger than {MOST_BYTES:,} bytes")
        return Tuned.model_validate_json(path.read_bytes())
    except ValidationError as fault:
        raise TunedFault(f"{needed}; {path}: {fault.errors()[0]['msg']}") from fault
    except OSError as fault:
        raise TunedFault(f"{needed}; {path}: {fault.strerror}") from fault
