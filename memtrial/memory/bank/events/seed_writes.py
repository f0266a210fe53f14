"""What document 003's SQL writes into its tables, as events."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    EpisodeAdded,
    ScalingMode,
    ScalingRunEnded,
    VerdictGiven,
)
from memtrial.memory.bank.events.kept_episode import KeptEpisode, digest_of_body
from memtrial.memory.stored_item import MemoryFault

JUDGE = "sql"
"""Who judged, where a statement says only how."""


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WrittenVerdict(_Row):
    """`UPDATE task_trajectories SET judge_label=?, judge_conf=?`."""

    episode_id: str
    label: Literal["Success", "Failure"]
    confidence: float | None = Field(ge=0, le=1)


class WrittenEpisode(_Row):
    """`INSERT INTO task_trajectories`; times are seconds since 1970."""

    task_id: str
    agent_id: str | None
    query: str
    body: str
    began: float | None
    ended: float | None
    run: str | None
    label: Literal["Success", "Failure"] | None
    confidence: float | None = Field(ge=0, le=1)


class WrittenRun(_Row):
    """`INSERT INTO matts_runs`."""

    run_id: str
    task_id: str
    mode: ScalingMode
    k: int
    status: str
    summary: str


def read_write(name: str, body: Mapping[str, object]) -> Sequence[BankEvent]:
    """The events of one row that is written; MemoryFault where the row is not sound."""
    try:
        if name == "verdict":
            return [_verdict(WrittenVerdict.model_validate(body))]
        if name == "run":
            run = WrittenRun.model_validate(body)
            return [ScalingRunEnded(run.run_id, run.task_id, run.mode, run.k, run.status, run.summary)]
        return _episode(WrittenEpisode.model_validate(body))
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise MemoryFault(f"document 003's columns are needed; {where}: {first['msg']}") from fault


def _episode(row: WrittenEpisode) -> Sequence[BankEvent]:
    known = "\n".join((row.task_id, row.query, row.body))
    episode = KeptEpisode(
        digest_of_body(known), row.task_id, row.query, row.body, "", row.agent_id or "", row.began, row.ended,
        row.run or "",
    )  # fmt: skip
    added = EpisodeAdded(episode)
    if row.label is None:
        return [added]
    return [
        added,
        _verdict(WrittenVerdict(episode_id=episode.id, label=row.label, confidence=row.confidence)),
    ]


def _verdict(row: WrittenVerdict) -> VerdictGiven:
    return VerdictGiven(
        row.episode_id, "success" if row.label == "Success" else "failure", JUDGE, row.confidence
    )
