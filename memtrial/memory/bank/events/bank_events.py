"""What can happen to a bank: each event is a frozen value, and nothing changes without one.

Sources: seeds/000 (versions, provenance, rollback), seeds/003 sections 2 to 7; REQUIREMENTS A-58, C25.
"""

from dataclasses import dataclass
from typing import Literal

from memtrial.agents.trajectory import Verdict
from memtrial.memory.bank.bank_item import BankItem, ItemDetails, Outcome, Relation, Standing
from memtrial.memory.bank.events.kept_episode import KeptEpisode
from memtrial.memory.item import Item

Signal = Literal["retrieved", "shown", "cited", "explicit"]
"""A search's hit; in a prompt; followed or quoted by the agent; somebody said whether it helped."""
VectorKey = Literal["query", "item", "title_desc", "trigger"]
"""What of an item is embedded."""
ScalingMode = Literal["parallel", "sequential"]


@dataclass(frozen=True, slots=True)
class SpaceFixed:
    """The embedder of the bank was fixed: its space, and how many numbers a vector has. At most once."""

    space: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class EpisodeAdded:
    """An agent did a task. A batch with an episode that the bank has already adds nothing at all."""

    episode: KeptEpisode


@dataclass(frozen=True, slots=True)
class VerdictGiven:
    """A judge labelled an episode; the last one counts. `confidence` is in [0, 1], None for none given."""

    episode_id: str
    label: Verdict
    judge: str
    confidence: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """A new item, of version 1."""

    item: BankItem


@dataclass(frozen=True, slots=True)
class ItemRevised:
    """Other words for an item: its next version."""

    item_id: str
    words: Item
    details: ItemDetails


@dataclass(frozen=True, slots=True)
class StandingSet:
    """An item is shown, or no longer: its next version."""

    item_id: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class ItemRolledBack:
    """Words and standing of an item are again those of an earlier version: its next version."""

    item_id: str
    to_version: int


@dataclass(frozen=True, slots=True)
class ConfidenceSet:
    """An item's confidence, in [0, 1]. Its version stays."""

    item_id: str
    confidence: float


@dataclass(frozen=True, slots=True)
class PinSet:
    """An item is spared from pruning, or no longer. Its version stays."""

    item_id: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class LinkAdded:
    """One item stands in a relation to another; the same link again has the new weight."""

    source: str
    target: str
    relation: Relation
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class LinkRemoved:
    """A link between two items holds no longer."""

    source: str
    target: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class SignalSeen:
    """An item was used, in one of three senses, or somebody said whether it helped (`explicit`).

    Args:
        task_id: in which task.
        outcome: how that task ended, or what was said; None where it is not known.
    """

    item_id: str
    signal: Signal
    task_id: str = ""
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class VectorAdded:
    """A vector of an item's words as they are now: little-endian float32 numbers of the bank's space."""

    item_id: str
    key: VectorKey
    vector: bytes


@dataclass(frozen=True, slots=True)
class RecordAdded:
    """The items of one trajectory stand together, as upstream shows them (seeds/004).

    Args:
        record_id: a ULID.
        query: the source task's text.
        item_ids: in the order in which they are shown; none where all were dropped.
        episode_id: the trajectory; empty where it was not kept.
        reply: the writer's own words; empty for none.
    """

    record_id: str
    task_id: str
    query: str
    item_ids: tuple[str, ...]
    episode_id: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class ScalingRunEnded:
    """One task was tried several times (MaTTS). `summary` is JSON; `k` the tries or passes."""

    run_id: str
    task_id: str
    mode: ScalingMode
    k: int
    status: str = "completed"
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ConsolidationEnded:
    """A consolidation was carried out; what it changed are the events beside it in the same batch."""

    run_id: str
    items_seen: int
    duplicates: int = 0
    contradictions: int = 0
    archived: int = 0
    promoted: int = 0
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class MeasureTaken:
    """A number of the bank's own work, as `retrieve_ms`, and the items that it was about."""

    metric: str
    value: float
    item_ids: tuple[str, ...] = ()


BankEvent = (
    SpaceFixed
    | EpisodeAdded
    | VerdictGiven
    | ItemAdded
    | ItemRevised
    | StandingSet
    | ItemRolledBack
    | ConfidenceSet
    | PinSet
    | LinkAdded
    | LinkRemoved
    | SignalSeen
    | VectorAdded
    | RecordAdded
    | ScalingRunEnded
    | ConsolidationEnded
    | MeasureTaken
)


@dataclass(frozen=True, slots=True)
class Cause:
    """Who changes a bank, and why: two short texts of every event."""

    who: str
    why: str


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event as the log holds it.

    Args:
        sequence: its place, from 1.
        id: a ULID.
        moment: seconds since 1970, UTC.
        digest: sha256 of the digest before it and of all of this, in hex (`hash_chain`).
    """

    sequence: int
    id: str
    moment: float
    cause: Cause
    event: BankEvent
    digest: str
