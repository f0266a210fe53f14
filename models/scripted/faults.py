"""What goes wrong by script, and when: each entry counts the requests it can strike and picks among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, get_args

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
"""Letters of a large reply."""

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
        size: how many letters a large reply has more than it should.

    Raises:
        ScriptFault: the fields do not go together.
    """

    kind: Kind
    at: tuple[int, ...] = ()
    every: int | None = None
    share: float | None = None
    match: str = ""
    times: int | None = None
    channel: Channel | None = None
    retry_after_s: float | None = None
    lasts_s: float = 30.0
    model: str = "some-other-model"
    size: int = 2 * 1024 * 1024

    def __post_init__(self) -> None:
        """Refuse what could never strike."""
        if self.kind not in KINDS:
            raise ScriptFault(f"no fault {self.kind!r}; there are {', '.join(KINDS)}")
        if bool(self.at) + (self.every is not None) + (self.share is not None) > 1:
            raise ScriptFault(f"{self.kind}: one of at, every and share says when; got more than one")
        if any(number < 1 for number in self.at):
            raise ScriptFault(f"{self.kind}: at holds numbers of requests, from 1; got {list(self.at)}")
        if self.every is not None and self.every < 1:
            raise ScriptFault(f"{self.kind}: every is 1 or more; got {self.every}")
        if self.share is not None and not 0 <= self.share <= 1:
            raise ScriptFault(f"{self.kind}: share is in [0, 1]; got {self.share}")
        if self.times is not None and self.times < 1:
            raise ScriptFault(f"{self.kind}: times is 1 or more; got {self.times}")
        if self.retry_after_s is not None and (self.kind not in STATUSES or not self.retry_after_s >= 0):
            raise ScriptFault(f"{self.kind}: retry_after_s is 0 or more, and only an error by status has one")
        if not 0 < self.lasts_s < 1e6:
            raise ScriptFault(f"{self.kind}: lasts_s is a time above 0; got {self.lasts_s}")
        if not 0 < self.size <= LARGEST:
            raise ScriptFault(f"{self.kind}: size is from 1 to {LARGEST}; got {self.size}")
        if self.channel is not None and self.channel not in possible(self.kind):
            fitting = ", ".join(sorted(possible(self.kind)))
            raise ScriptFault(f"{self.kind} can be for {fitting}; got {self.channel!r}")

    @property
    def channels(self) -> frozenset[Channel]:
        """What it strikes."""
        if self.channel is not None:
            return frozenset({self.channel})
        return possible(self.kind) if self.kind in SHAPED else REQUESTS

    def refusal(self, channel: Channel) -> Refused:
        """The error of a kind that is one by its status."""
        status = next(status for status in STATUSES if status == self.kind)
        if status == "no credit":
            # a status of its own with one provider, a rate limit that never ends with the other
            number = 429 if channel in ("chat", "embeddings") else 402
            return Refused(number, SENTENCES[status], "insufficient_quota", self.retry_after_s)
        return Refused(int(status), SENTENCES[status], retry_after_s=self.retry_after_s)


def possible(kind: Kind) -> frozenset[Channel]:
    """The channels in which a kind makes sense."""
    if kind in ("empty content", "wrong model"):
        return QUESTIONS | {"embeddings"}
    if kind in SHAPED:
        return QUESTIONS
    return REQUESTS | {"batch items"} if kind in STATUSES or kind == "time-out" else REQUESTS


@dataclass
class Faults:
    """The entries of a script, and how far each has counted."""

    entries: tuple[Fault, ...]
    seed: int
    _met: Counter[int] = field(default_factory=Counter)
    _struck: Counter[int] = field(default_factory=Counter)

    def strike(self, channel: Channel, text: str) -> Fault | None:
        """The first entry that strikes this request; all that could strike it count it."""
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
