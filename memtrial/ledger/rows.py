"""Row types of the ledger. A row is written once; what made it is not known here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from pydantic import JsonValue

Json = Mapping[str, JsonValue]
"""A JSON object."""


def part(body: Json, name: str) -> dict[str, JsonValue]:
    """The object below a key; empty where there is something else."""
    value = body.get(name)
    return value if isinstance(value, dict) else {}


Status = Literal["success", "failure", "error"]
Boundary = Literal["agent", "world", "provider", "memory", "harness"]
"""Whose fault lost a trial. The harness is all of ours around an episode, a judge of success among it."""


class FiringEntry(TypedDict):
    """An item whose Trigger held; a shadow firing is not shown."""

    step: int
    item: int
    why: str
    shown: bool


class ExposureEntry(TypedDict):
    """What became of one item of the slot: the first turn of each, from 0; None where it never came.

    Args:
        shown: its text stood in a request; `fired`: its moment came, shown or not.
        cited: a thought quotes or names it.
        acted: what it advises, undamaged, was done after its moment came.
    """

    item: int
    shown: int | None
    fired: int | None
    cited: int | None
    acted: int | None


class GradeEntry(TypedDict):
    """What a judge of success said of one trial; the first entry decides.

    Args:
        wording: of the prompt; `nth`: 1 where the same was asked once more.
        label: `success` or `failure`; empty with a fault.
    """

    wording: int
    nth: int
    label: str
    confidence: float | None
    reason: str
    fault: str


class RequestEntry(TypedDict):
    """One request of a trial, by its key in the table of calls, the turn it belongs to and its messages.

    Without a key it is no request, but memory that the agent's own code was to take: `verbatim` says it did.

    Args:
        meant: digest of the memory text that was meant to stand in it, and `verbatim`: it did; else empty.
        since: how many messages of the conversation came before an agent began anew; not there for 0.
        choices: the texts of which the reply was to be one, in the order shown; not there where it was free.
    """

    key: str
    step: int
    messages: int
    meant: str
    verbatim: bool
    since: NotRequired[int]
    choices: NotRequired[list[str]]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One episode.

    Args:
        key: sha256 of all that determines the trial.
        status: the agent's doing in `success` and `failure`, the infrastructure's in `error`.
        score: dense score in [0, 1]; None for an error.
        cause: why it failed or broke, in words.
        boundary: of an error, whose fault it was; None for any other, and in rows of before it was stated.
        fault: of an error, its kind in a few words, as the boundary names it; empty where `boundary` is None.
        slot: digest of the slot that was meant for the prompt.
        empty_slot: the record's items were all dropped; the trial counts as `without`.
        record: the source task whose record was retrieved; empty where there is none.
        similarity: cosine of that task's query and this one's; None where nothing was searched.
        calls: all calls, those answered from the call cache among them, and so are tokens and dollars: a
            resumed trial costs what it would have cost in one go. `usd` is None where no price is known.
        carrying: requests in which memory text was meant to stand.
        undelivered: how many of them did not carry it verbatim. Anything but 0 spoils the run.
        handed: 1 where memory was for the agent's own code to take and no request was seen that carries it;
            counted among `carrying`, and among `undelivered` where the code took no look at it.
        delivery: where the agent asks its model by its own code, what its requests showed of the memory that
            was due: "given", "given in part", "never given", "never activated" where the model was told of
            it and did not ask for it, or "nothing read" where it asked and none came up; else empty.
        items: of an intact trial, which items its slot held: sha256 of each text less its number, under which
            the ledger keeps it beside the slots.
        reported_usd: of `usd`, what the agent itself reported of its own calls.
        followed: 1.0 if the agent did what the intact items tell at the first state where that applies, 0.0
            if it did not or no such state came; None where they tell nothing, and for an error.
        did_told: how soon what they tell to do was done once it applied: 1.0 at once, half after ten turns at
            which it was left undone, 0.0 never; turns lost without an action left out. None as above.
        did_avoided: the same of what they tell to avoid, where an item tells nothing to do.
        did_other: the same of what `counter` tells in the place of what they tell to do, lost turns counted;
            None also where no `counter` stands in the block.
        shared: key of the trial of the same block that was played with the same prompts, and whose episode
            is this one's as well; empty where this one was played.
        echoed: words of the agent's thoughts that repeat, many in a row, the memory it was shown.
        broken: proposed actions that broke a check while its item's Trigger held.
        withheld: proposed actions that were withheld; `changed`: those that the agent then replaced.
        timed: items that came up where the world's path of the task is known; `false_fires`: of these, those
            that told no action that it called for just then.
        moments: items that told an action when the path called for it; `missed`: those not up by then.
        grades: where a model judges success, what it said; empty where the world decides.
        oracle: what the world says then, `success` or `failure`; empty where it is not to be asked.
    """

    key: str
    backbone: str
    arm: str
    condition: str
    task: str
    family: str
    repeat: int
    status: Status
    score: float | None
    cause: str
    slot: str
    empty_slot: bool
    record: str
    firings: tuple[FiringEntry, ...] = ()
    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    usd: float | None = 0.0
    carrying: int = 0
    undelivered: int = 0
    followed: float | None = None
    did_told: float | None = None
    did_avoided: float | None = None
    did_other: float | None = None
    shared: str = ""
    exposures: tuple[ExposureEntry, ...] = ()
    echoed: int = 0
    broken: int = 0
    withheld: int = 0
    changed: int = 0
    timed: int = 0
    false_fires: int = 0
    moments: int = 0
    missed: int = 0
    similarity: float | None = None
    grades: tuple[GradeEntry, ...] = ()
    oracle: str = ""
    boundary: Boundary | None = None
    fault: str = ""
    handed: int = 0
    reported_usd: float = 0.0
    delivery: str = ""
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """What was said in one trial, kept apart so that reading outcomes stays light.

    Args:
        conversation: `{"role", "content"}` of every message, exactly as it was sent or came back: the system
            prompt first. The i-th request is the messages up to the i-th reply.
        steps: thought, action, observation and fault of each turn; `start`: the first observation.
    """

    key: str
    conversation: tuple[dict[str, str], ...]
    steps: tuple[dict[str, Any], ...]
    calls: tuple[RequestEntry, ...]
    start: str = ""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One `run` command on a folder; `ended` and `how` are empty where the process was killed.

    Args:
        settings: version, budget, engine, date of the price table: what may differ between sessions.
        how: in one word: done, interrupted, budget, errors, …
        why: in a sentence, where the word does not say all.
    """

    number: int
    begun: str
    settings: Json
    ended: str = ""
    how: str = ""
    why: str = ""

    @property
    def end_text(self) -> str:
        """How it ended and why, for a reader."""
        return ": ".join(filter(None, (self.how, self.why)))

    @property
    def attempts(self) -> int:
        attempts = self.settings.get("attempts")
        return attempts if isinstance(attempts, int) else 0

    @property
    def code(self) -> Json:
        return part(self.settings, "code")

    @property
    def max_cost_usd(self) -> float | None:
        return self._most_of("max_cost_usd")

    @property
    def max_calls(self) -> float | None:
        return self._most_of("max_calls")

    @property
    def max_hours(self) -> float | None:
        return self._most_of("max_hours")

    def _most_of(self, name: str) -> float | None:
        most = part(self.settings, "budget").get(name)
        return most if isinstance(most, int | float) else None


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The manipulation check of one damaged slot; `before` and `after` are digests of the two slots.

    `applicable` is False where the kind does not apply to this slot, for the `reason`.
    """

    backbone: str
    arm: str
    condition: str
    task: str
    repeat: int
    applicable: bool
    passed: bool
    reason: str
    before: str
    after: str
    measured: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """What the judge of the decision check said that one slot advises at the start of its task.

    `nth` is 1 where the slot was asked about once more; `action` is `nothing` where none is advised.
    """

    backbone: str
    arm: str
    condition: str
    task: str
    repeat: int
    nth: int
    slot: str
    action: str
    quote: str
    fault: str


@dataclass(frozen=True, slots=True)
class CondensationRow:
    """What one condenser made of one trajectory for one bank: the line `condense` writes, with drops."""

    backbone: str
    condenser: str
    task: str
    body: dict[str, Any]
    draw: int = 0


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One collected trajectory, as its trace line."""

    backbone: str
    task: str
    body: Json
