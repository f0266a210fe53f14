"""Rows that say how the run went: cells, losses, delivery, damage, condensing, cost."""

from typing import Literal

from pydantic import Field

from memtrial.result_record import ResultRecord


class CellRow(ResultRecord):
    """Trials, errors and mean score of one cell: a row of `cells`."""

    backbone: str
    arm: str
    condition: str
    n_trials: int
    n_errors: int
    score: float | None


class Attrition(ResultRecord):
    """Trials of one arm that were lost to the infrastructure."""

    trials: int
    planned: int | None
    """None where the plan does not say."""
    errors: int
    share: float | None
    causes: dict[str, int]
    first: str = ""
    """What the first of its errors says, in one line; empty where there is none."""


class UndeliveredTrial(ResultRecord):
    """A trial in which memory text was missing from a request that was to carry it."""

    key: str
    backbone: str
    arm: str
    condition: str
    task: str
    repeat: int
    undelivered: int


class Delivery(ResultRecord):
    """Whether the memory text stood verbatim in every request that was to carry it."""

    carrying: int
    undelivered: int
    handed: int = 0
    """Of `carrying`, no requests but trials in which memory was for the agent's own code to take."""
    unread: int = 0
    """Of these, and of `undelivered`, the trials in which it took no look."""
    words: dict[str, int] = Field(default_factory=dict)
    """Trials of agents that ask by their own code and were due memory, by what their requests showed of it:
    given, given in part, nothing read, never given, never activated."""
    trials: tuple[UndeliveredTrial, ...]
    """The first of those concerned."""


class UntrustedBlock(ResultRecord):
    """A block that is left out because a row of it was changed."""

    backbone: str
    task: str
    repeat: int
    trials: int


class Untrusted(ResultRecord):
    """What is left out because it was changed after it was written."""

    trials: int
    blocks: tuple[UntrustedBlock, ...]
    rows: dict[str, int]
    """Rows of other tables, by table."""


class ManipulationRow(ResultRecord):
    """What a damage did to the slots of an arm: a row of `manipulation`. Means: over applicable slots."""

    arm: str
    condition: str
    n: int
    applicable: int
    passed: int
    words_changed: float | None
    content_words_left: float | None
    length_ratio: float | None
    flips: float | None
    contradictions: float | None = None
    """Sentences that still give the old advice in items that are turned or whose actions are exchanged."""
    not_applicable_because: tuple[str, ...]
    fluency_distance: float | None = None
    """Bits per word by which the damaged text reads more oddly than the intact one."""
    roles: dict[str, float] = Field(default_factory=dict)
    """By role of the text the share of its words that were touched."""
    written_by: dict[str, int] = Field(default_factory=dict)
    """How many of the damaged slots came from the rules, and from which model."""
    tries: float | None = None
    """Mean number of drafts that a model was asked for, of the slots for which one was."""
    by_rules_because: tuple[str, ...] = ()
    """Why the rules wrote where a model was asked."""


class FiringRow(ResultRecord):
    """Shares of the trials of a cell in which a Trigger held, shown or only logged (shadow), and counts of
    proposed actions: those that broke a check, those that were withheld, and of these those replaced.

    `timed` to `missed` are counts of items held against the world's own path, see the ledger's trials."""

    backbone: str
    arm: str
    condition: str
    shown: float
    shadow: float
    broken: int = 0
    withheld: int = 0
    changed: int = 0
    timed: int = 0
    false_fires: int = 0
    moments: int = 0
    missed: int = 0


class CondenserRow(ResultRecord):
    """What a condenser made and what the gates did. All but `draws` and `traces` are sums over the draws."""

    backbone: str
    condenser: str
    draws: int
    traces: int
    items: int
    drafts: int
    flagged: int
    passed_after_revision: int
    unchanged: int = 0
    dropped: int
    faults: int
    unread: int = 0
    """Replies that could not be read, or only in part, a trace and draw each; asked twice, but for the native
    control."""
    unread_tasks: tuple[str, ...] = ()
    """The source tasks of these."""


Strain = Literal["does not apply", "never satisfied", "pull against each other"]
Strained = Literal["", "register", "system definition"]
"""What does not fit: prose that somebody wrote against a trace; what a system runs against a piece of
knowledge."""


class StrainRow(ResultRecord):
    """Where gates and traces do not fit together: a row of `strains`."""

    condenser: str
    strain: Strain
    named: Strained = ""
    """Of theory and trace, where the findings say which; empty where they are about single items."""
    gates: str
    items: int
    """In which it was seen, over all backbones and draws."""
    example: str
    """Task and what was found there."""


class PeopleRow(ResultRecord):
    """What people decided on the drafts of one condenser: a row of `people`."""

    backbone: str
    condenser: str
    by: str = ""
    """Who; empty for the decisions that count, whoever made them last."""
    drafts: int
    """That people were asked about."""
    accepted: int
    edited: int
    rejected: int
    blind: int
    """Decisions that were made without the findings of the gates."""
    median_seconds: float | None
    """From the sight of a draft to the decision; None where no time is known."""
    compared: int
    """Decided drafts on which all gates answered."""
    kappa: float | None
    """Cohen's, of gates (no flag, or a WARN or FAIL) and people (accepted, or not); None where undefined."""
    low: float | None
    high: float | None
    reasons: tuple[str, ...] = ()
    """Why drafts were rejected, where people said so, in the order of the drafts."""


class MakingRow(ResultRecord):
    """What one arm shows, how it came about, and what that takes: all backbones and draws together."""

    arm: str
    injection: str
    memory: str
    """How it is made."""
    words: float | None
    """In the mean record, headings among them."""
    calls: int
    """To condense, those answered by another condenser's call among them."""
    gate_calls: int
    input_tokens: int
    output_tokens: int


class PreparationCost(ResultRecord):
    """The answered calls of one purpose: a row of `preparation`. `usd` is None where a price is unknown."""

    purpose: str
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    usd: float | None


class Cost(ResultRecord):
    """Calls, tokens and US dollars. `usd` is None where a price is unknown."""

    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    usd: float | None
