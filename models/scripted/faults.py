"""Scripted faults: each entry counts the requests it can strike and picks among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from reprlib import repr
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field, PlainValidator, StrictFloat, StrictInt, StrictStr

from loadbearing.models.scripted.protocol import Channel, Refused, ScriptFault
from loadbearing.models.simulated.chance import uniform

Status = Literal["400", "401", "403", "404", "413", "429", "no credit", "500", "503", "529"]
Broken = Literal["time-out", "reset", "cut-off body", "malformed JSON", "slow drip"]
Shaped = Literal["empty content", "refusal", "wrong model", "drop system", "large reply"]
Kind = Status | Broken | Shaped

STATUSES: tuple[Status, ...] = get_args(Status)
BROKEN: tuple[Broken, ...] = get_args(Broken)
SHAPED: tuple[Shaped, ...] = get_args(Shaped)
KINDS: tuple[Kind, ...] = (*STATUSES, *BROKEN, *SHAPED)

LARGEST = 256 * 1024 * 1024
"""Characters of a large reply."""

QUESTIONS: frozenset[Channel] = frozenset({"messages", "chat", "batch items"})
REQUESTS: frozenset[Channel] = frozenset(get_args(Channel)) - {"batch items"}

SENTENCES: dict[Status, str] = {
    "400": "this request is invalid, by script",
    "401": "invalid API key, by script",
    "403": "this key may not use this model, by script",
    "404": "no such model, by script",
    "413": "the request is larger than the limit, by script",
    "429": "the rate limit is reached, by script",
    "no credit": "Your credit balance is too low, by script",
    "500": "internal server error, by script",
    "503": "the service is unavailable, by script",
    "529": "Overloaded, by script",
}


def _kind(raw: object) -> object:
    """A number, such as 429, may be written without quotation marks."""
    if str(raw) not in KINDS:
        raise ValueError(f"fault is one of {', '.join(KINDS)}; got {repr(raw)}")
    return str(raw)


def _numbers(at: object) -> object:
    """One number may stand for a list of one."""
    if at == []:
        raise ValueError("at is empty and would never strike; leave the entry out")
    return tuple(at) if isinstance(at, list) else (at,)


Finite = Annotated[StrictFloat, Field(allow_inf_nan=False)]
FromOne = Annotated[StrictInt, Field(ge=1)]
Word = Annotated[StrictStr, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Fault:
    """One entry of a script of faults.

    The entry counts, from 1, the requests it can strike: those of its channel whose text holds `match`. Of
    these it strikes the numbers in `at`, or every n-th, or a share drawn from the seed and the number; all of
    them where none of the three is given.

    Args:
        kind: what happens. Errors by status, connections that break, and answers that are not what they
            should be. `time-out` never answers; `slow drip` sends its answer byte by byte; `drop system`
            answers as a gateway would that lost the system prompt.
        times: strikes at most; None for no limit.
        channel: what it strikes; None for every channel where the kind makes sense, save that items of
            batches are struck by errors only where the entry is for them.
        retry_after_s: for an error by status, what the client is told to wait, in seconds.
        lasts_s: how long a slow drip takes, in seconds.
        model: the id that comes back from a wrong model.
        size: how many characters a large reply has more than it should.

    Raises:
        ScriptFault: the fields do not go together.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    kind: Annotated[Kind, Field(validation_alias="fault"), PlainValidator(_kind)]
    at: Annotated[tuple[FromOne, ...], BeforeValidator(_numbers)] = ()
    every: FromOne | None = None
    share: Annotated[Finite, Field(ge=0, le=1)] | None = None
    match: Word = ""
    times: FromOne | None = None
    channel: Annotated[Channel | None, Field(validation_alias="for")] = None
    retry_after_s: Annotated[Finite, Field(ge=0)] | None = None
    lasts_s: Annotated[Finite, Field(gt=0, lt=1e6)] = 30.0
    model: Word = "some-other-model"
    size: Annotated[FromOne, Field(le=LARGEST)] = 2 * 1024 * 1024

    def __post_init__(self) -> None:
        """Refuse fields that do not go together; the ranges are checked where a file is read."""
        if bool(self.at) + (self.every is not None) + (self.share is not None) > 1:
            raise ScriptFault(f"{self.kind}: one of at, every and share says when; got more than one")
        if self.retry_after_s is not None and self.kind not in STATUSES:
            raise ScriptFault(f"{self.kind}: only an error by status has a retry_after_s")
        if self.channel is not None and self.channel not in possible(self.kind):
            fitting = ", ".join(sorted(possible(self.kind)))
            raise ScriptFault(f"{self.kind} can be for {fitting}; got {self.channel!r}")

    @property
    def channels(self) -> frozenset[Channel]:
        """The channels it strikes."""
        if self.channel is not None:
            return frozenset({self.channel})
        return possible(self.kind) if self.kind in SHAPED else REQUESTS

    def refusal(self, channel: Channel) -> Refused:
        """The error that a kind with a status is answered with."""
        status = next(status for status in STATUSES if status == self.kind)
        if status == "no credit":
            # Anthropic has a status for it, OpenAI a rate limit that never ends
            number = 429 if channel in ("chat", "embeddings") else 402
            return Refused(number, SENTENCES[status], "insufficient_quota", self.retry_after_s)
        return Refused(int(status), SENTENCES[status], retry_after_s=self.retry_after_s)


def possible(kind: Kind) -> frozenset[Channel]:
    """The channels a kind can strike."""
    if kind in ("empty content", "wrong model"):
        return QUESTIONS | {"embeddings"}
    if kind in SHAPED:
        return QUESTIONS
    return REQUESTS | {"batch items"} if kind in STATUSES or kind == "time-out" else REQUESTS


@dataclass
class Faults:
    """The entries of a script, and what each has counted."""

    entries: tuple[Fault, ...]
    seed: int
    _met: Counter[int] = field(default_factory=Counter)
    _struck: Counter[int] = field(default_factory=Counter)

    def strike(self, channel: Channel, text: str) -> Fault | None:
        """The first entry that strikes this request; every entry that could strike it counts it."""
        first = None
        for index, entry in enumerate(self.entries):
            if channel not in entry.channels or entry.match not in text:
                continue
            self._met[index] += 1
            if first is None and self._strikes(index, entry):
                self._struck[index] += 1
                first = entry
        return first

    def _strikes(self, index: int, entry: Fault) -> bool:
        number = self._met[index]
        if entry.times is not None and self._struck[index] >= entry.times:
            return False
        if entry.at:
            return number in entry.at
        if entry.every is not None:
            return number % entry.every == 0
        return entry.share is None or uniform("fault", self.seed, index, number) < entry.share
