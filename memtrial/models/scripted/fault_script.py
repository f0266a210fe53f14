"""Scripted faults: each entry counts the requests it can strike and picks among them."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from memtrial.models.scripted.protocol import Channel, Refused, ScriptFault, problem
from memtrial.models.yaml_text import YamlFault, read_yaml

Status = Literal["400", "401", "403", "404", "413", "429", "no credit", "500", "503", "529"]
Broken = Literal["time-out", "reset", "cut-off body", "malformed JSON", "slow drip"]
Shaped = Literal["empty content", "refusal", "wrong model", "drop system", "large reply"]
Kind = Status | Broken | Shaped

STATUSES: tuple[Status, ...] = get_args(Status)
SHAPED: tuple[Shaped, ...] = get_args(Shaped)
KINDS: tuple[Kind, ...] = (*STATUSES, *get_args(Broken), *SHAPED)

LARGEST = 1024 * 1024
FORM = "faults are a YAML or JSON list of entries such as {fault: '429', at: [3]}"
Seconds = Annotated[float, Field(ge=0, lt=1e6)]
FromOne = Annotated[int, Field(ge=1)]


@dataclass(frozen=True, slots=True)
class ScriptedFault:
    """One entry of a script of faults: counts, from 1, the requests it can strike, and strikes some of them.

    Args:
        kind: what happens. `time-out` never answers; `slow drip` sends its answer byte by byte; `drop system`
            answers as a gateway would that lost the system prompt.
        at, every: the numbers that are struck, or every n-th; all where neither is given.
        retry_after_s: with an error by status, what the client is told to wait, in seconds.
        size: how many characters a large reply has more than it should.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)

    # a number, such as 429, may be written without quotation marks
    kind: Annotated[Kind, Field(validation_alias="fault"), BeforeValidator(str)]
    at: Annotated[tuple[FromOne, ...], Field(min_length=1)] = ()
    every: FromOne | None = None
    match: str = ""
    retry_after_s: Seconds | None = None
    lasts_s: Seconds = 30.0
    size: Annotated[FromOne, Field(le=2**28)] = 2**21

    def can_strike(self, channel: Channel, text: str) -> bool:
        """It is meant for such a request."""
        fits = self.kind not in SHAPED or channel != "embeddings"
        fits = fits or self.kind in ("empty content", "wrong model")
        return fits and self.match in text

    def refusal(self, channel: Channel) -> Refused:
        """The error that a kind with a status is answered with."""
        if self.kind == "no credit":
            # Anthropic has a status for it, OpenAI a rate limit that never ends
            status = 402 if channel == "messages" else 429
            return Refused(status, "no credit, by script", "insufficient_quota", self.retry_after_s)
        return Refused(int(self.kind), f"status {self.kind}, by script", retry_after_s=self.retry_after_s)


@dataclass
class Faults:
    """The entries of a script, and how many requests each has counted."""

    entries: tuple[ScriptedFault, ...]
    _met: Counter[int] = field(default_factory=Counter)

    def strike(self, channel: Channel, text: str) -> ScriptedFault | None:
        """The first entry that strikes this request; every entry that could strike it counts it."""
        struck = []
        for index, entry in enumerate(self.entries):
            if entry.can_strike(channel, text):
                self._met[index] += 1
                number = self._met[index]
                if number in entry.at if entry.at else number % (entry.every or 1) == 0:
                    struck.append(entry)
        return struck[0] if struck else None


def read_faults(path: Path) -> tuple[ScriptedFault, ...]:
    """The entries of a file; `kind` is written `fault: KIND`. ScriptFault where one is invalid."""
    try:
        if path.exists() and not (path.is_file() and path.stat().st_size <= LARGEST):
            raise ScriptFault(f"{FORM}, in a plain file of at most {LARGEST // 2**20} MiB; {path} is none")
        raw = read_yaml(path.read_text(encoding="utf-8"))
        return tuple(TypeAdapter(list[ScriptedFault]).validate_python(raw))
    except (OSError, UnicodeDecodeError) as fault:
        raise ScriptFault(f"{FORM}; {path} cannot be read: {fault}") from fault
    except YamlFault as fault:
        raise ScriptFault(f"{FORM}; {path} is neither: {str(fault)[:200]}") from fault
    except ValidationError as fault:
        raise ScriptFault(f"{FORM}; {path}, entry {problem(fault)}") from None
