"""Row types of the ledger. A row is written once; what made it is not known here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["success", "failure", "error"]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One episode.

    Args:
        key: sha256 of all that determines the trial.
        status: the agent's doing in `success` and `failure`, the infrastructure's in `error`.
        score: dense score in [0, 1]; None for an error.
        cause: why it failed or broke, in words.
        slot: digest of the slot that was meant for the prompt.
        empty_slot: the record's items were all dropped; the trial counts as `without`.
        record: the source task whose record was retrieved; empty where there is none.
        steps: thought, action, observation and fault of each turn.
        firings: step, item, why and shown of each firing; shadow firings are not shown.
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
    steps: tuple[dict[str, Any], ...]
    firings: tuple[dict[str, Any], ...]
    calls: int
    cached: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The manipulation check of one damaged slot.

    Args:
        applicable: False where the kind does not apply to this slot; `reason` then says why.
        passed: what the kind must achieve was achieved.
        before, after: digests of the two slots.
        measured: the figures of the check.
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
class CondensationRow:
    """What one condenser made of one trajectory: the line `condense` writes, with rounds and drops."""

    backbone: str
    condenser: str
    task: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One collected trajectory, as its trace line."""

    backbone: str
    task: str
    body: dict[str, Any]
