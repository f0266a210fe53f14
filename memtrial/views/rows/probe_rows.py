"""What a probe says: a row for each condition, a row for each item, and a word for each arm."""

from typing import Literal

from memtrial.result_record import ResultRecord

ProbeOutcome = Literal["advised", "other", "mention", "shift"]
ShownWord = Literal["moves", "still", "reversed", "inconclusive", "untestable"]
ArmWord = Literal["follows", "naming", "ignores", "defies", "inconclusive", "untestable"]


class ProbeRow(ResultRecord):
    """One condition of one arm, held against the intact memory at the same decisions."""

    backbone: str
    arm: str
    outcome: ProbeOutcome
    """advised: the share of what the memory advises, intact less the condition. other: the share of what
    `counter` advises in its place, there less intact. mention: what is advised, under `corrupt_invert`, which
    still names it, less under `counter`, which does not. shift: how far the shares of all actions move."""
    condition: str
    """`left out` is the mean over single items, each left out by itself."""
    n_decisions: int
    n_tasks: int
    n_clusters: int
    before: float | None
    """Mean share with the intact memory (mention: under `corrupt_invert`); None of a shift."""
    after: float | None
    """The same under the condition (mention: under `counter`)."""
    estimate: float | None
    low: float | None
    high: float | None
    """Ends of an interval that holds, with 1 - alpha, for all rows of this outcome at once."""
    p: float | None
    p_adjusted: float | None
    """Step-down max-T over the rows of this outcome."""
    p_equivalence: float | None
    """Of an effect at or beyond the margin, adjusted in the same family."""
    word: ShownWord


class ProbeItem(ResultRecord):
    """One item: what is done next where it stands, and where it alone does not."""

    backbone: str
    arm: str
    text: str
    advice: tuple[str, ...]
    """What it advises at these decisions; none where that cannot be read."""
    n_decisions: int
    n_tasks: int
    n_clusters: int
    present: float | None
    """Mean share of what it advises where it stands; None where it advises nothing that can be read."""
    absent: float | None
    estimate: float | None
    low: float | None
    high: float | None
    """For all items at once."""
    p_adjusted: float | None
    word: ShownWord
    shift: float | None
    shift_low: float | None
    shift_high: float | None
    shift_word: ShownWord


class ProbeArm(ResultRecord):
    """One arm in a word."""

    backbone: str
    arm: str
    word: ArmWord
    why: str


class ProbeResults(ResultRecord):
    """The end of a probe: a direct effect on the next action, given the history."""

    format: Literal["memtrial probe 1"] = "memtrial probe 1"
    effect: Literal["direct effect given the history"] = "direct effect given the history"
    """What every number is: the conversation stays as it was, and the memory in it is changed."""
    source: str
    """The run, or the logs."""
    models: tuple[str, ...]
    """Asked."""
    simulated: bool
    exact: bool
    """One reply a cell tells all: the server gave the share of each choice, or the temperature is 0."""
    samples: int
    """Replies to a cell where they are drawn; the intact memory has twice as many."""
    n_decisions: int
    n_tasks: int
    n_clusters: int
    clustered: str
    """What the unit of inference is."""
    n_echoed: int
    """Decisions at which an earlier reply of the agent repeats words of the memory, which stay."""
    calls: int
    usd: float | None
    """What all calls of this probe cost; None where a price is not known."""
    margin: float
    alpha: float
    arms: tuple[ProbeArm, ...]
    rows: tuple[ProbeRow, ...]
    items: tuple[ProbeItem, ...]
    left_out: dict[str, int]
    """Requests that are no decision to be asked again, by why."""
    notes: tuple[str, ...]

    def json_text(self) -> str:
        """The same as JSON, for `results.json`."""
        return self.model_dump_json(indent=2) + "\n"
