"""Every change of a bank, or of one item, in words: when, what, why, who (REQUIREMENTS A-58)."""

from collections.abc import Iterator
from dataclasses import dataclass

from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    ConfidenceSet,
    ConsolidationEnded,
    EpisodeAdded,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    LinkAdded,
    LinkRemoved,
    MeasureTaken,
    PinSet,
    RecordAdded,
    ScalingRunEnded,
    SignalSeen,
    SpaceFixed,
    StandingSet,
    VectorAdded,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One change.

    Args:
        moment: seconds since 1970, UTC.
        what: what changed, in words; texts of items are not repeated.
    """

    sequence: int
    moment: float
    what: str
    who: str
    why: str
    digest: str


def audit_bank(log: BankLog, subject: str | None = None) -> Iterator[AuditLine]:
    """The changes of an item or an episode, or all, the first one first. MemoryFault: the log was changed."""
    log.check()
    for logged in log.history(subject):
        cause = logged.cause
        yield AuditLine(
            logged.sequence, logged.moment, describe_event(logged.event), cause.who, cause.why, logged.digest
        )


def describe_event(event: BankEvent) -> str:
    """An event in words."""
    match event:
        case ItemAdded(item):
            return f"added {item.id} ({item.origin.outcome}, confidence {item.confidence:.3g})"
        case ItemRevised(item_id):
            return f"new words for {item_id}"
        case StandingSet(item_id, standing):
            return f"{item_id} is {standing}"
        case ItemRolledBack(item_id, to_version):
            return f"{item_id} is again as in version {to_version}"
        case ConfidenceSet(item_id, confidence):
            return f"confidence of {item_id} is {confidence:.3g}"
        case PinSet(item_id, pinned):
            return f"{item_id} is {'pinned' if pinned else 'no longer pinned'}"
        case LinkAdded(source, target, relation, weight):
            return f"{source} {relation} {target}, weight {weight:.3g}"
        case LinkRemoved(source, target, relation):
            return f"{source} {relation} {target}: no longer"
        case SignalSeen(item_id, signal, task_id, outcome):
            where = f" in {task_id}" if task_id else ""
            return f"{item_id} was {signal}{where}{f' ({outcome})' if outcome else ''}"
        case VectorAdded(item_id, key):
            return f"vector of {item_id} by {key}"
        case _:
            return _describe_other(event)


def _describe_other(event: BankEvent) -> str:
    match event:
        case SpaceFixed(space, dimensions):
            return f"embedder is {space}, {dimensions} numbers"
        case EpisodeAdded(episode):
            return f"episode of {episode.task_id}: {episode.id[:12]}"
        case VerdictGiven(episode_id, label, judge):
            return f"{judge} calls episode {episode_id[:12]} a {label}"
        case RecordAdded(record_id, task_id, _, item_ids):
            return f"record {record_id} of {task_id} with {len(item_ids)} items"
        case ScalingRunEnded(run_id, task_id, mode, k):
            return f"{mode} run {run_id} of {task_id}, {k} tries"
        case ConsolidationEnded(run_id, items_seen):
            return f"consolidation {run_id} over {items_seen} items"
        case MeasureTaken(metric, value):
            return f"{metric} is {value:.6g}"
        case _:
            raise TypeError(f"an event of a bank is needed, got {event!r}")
