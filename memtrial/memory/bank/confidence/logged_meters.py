"""The meters of seeds/001 as a bank's log answers them. SC-004 compares two arms: it is an experiment's."""

from dataclasses import dataclass, field

from memtrial.memory.bank.confidence.bank_meters import (
    MeterReading,
    meter_calibration,
    meter_length,
    meter_relevance,
    meter_weights,
    meter_yield,
)
from memtrial.memory.bank.confidence.logged_signals import follow_project
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    ConfidenceSet,
    EpisodeAdded,
    ItemAdded,
    MeasureTaken,
    RecordAdded,
    SignalSeen,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.search.bank_search import SHOWN_TOKENS


def read_meters(log: BankLog, project: str, clock: float) -> tuple[MeterReading, ...]:
    """SC-001, 002, 003, 005 and 006 of a project, at a time in seconds since 1970.

    Raises:
        MemoryFault: the log cannot be read.
    """
    counted = _Counted(project)
    for logged in log.history():
        counted.take(logged.event)
    episodes = [name for name, label in counted.labels.items() if label == "success"]
    return (
        meter_relevance(counted.relevance),
        meter_length(counted.tokens),
        meter_yield([name in counted.yielding for name in episodes]),
        meter_weights(follow_project(log, project).history, clock),
        meter_calibration(counted.trusted, counted.helpful),
    )


@dataclass
class _Counted:
    """What a log was read for so far.

    Args:
        labels: by episode of the project, the last verdict.
        relevance: by rating of an item that was shown before, whether it was rated helpful.
        trusted: by rating, the item's confidence just before.
    """

    project: str
    confidences: dict[str, float] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    labels: dict[str, str | None] = field(default_factory=dict)
    yielding: set[str] = field(default_factory=set)
    relevance: list[bool] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    trusted: list[float] = field(default_factory=list)
    helpful: list[bool] = field(default_factory=list)

    def take(self, event: BankEvent) -> None:
        """Count one event; those of other projects do not count."""
        match event:
            case ItemAdded(item) if item.origin.project == self.project:
                self.confidences[item.id] = item.confidence
                self.yielding.add(item.origin.trajectory_id)
            case ConfidenceSet(item_id, confidence) if item_id in self.confidences:
                self.confidences[item_id] = confidence
            case SignalSeen(item_id, "shown") if item_id in self.confidences:
                self.shown.add(item_id)
            case SignalSeen(item_id, "explicit", _, outcome) if outcome and item_id in self.confidences:
                self._rate(item_id, outcome == "success")
            case MeasureTaken(metric, value, ids) if metric == SHOWN_TOKENS:
                if any(name in self.confidences for name in ids):
                    self.tokens.append(value)
            case EpisodeAdded(episode) if episode.project == self.project:
                self.labels.setdefault(episode.id, None)
            case VerdictGiven(episode_id, label) if episode_id in self.labels:
                self.labels[episode_id] = label
            case RecordAdded(item_ids=item_ids, episode_id=episode_id) if item_ids:
                self.yielding.add(episode_id)

    def _rate(self, item_id: str, helpful: bool) -> None:
        if item_id in self.shown:
            self.relevance.append(helpful)
        self.trusted.append(self.confidences[item_id])
        self.helpful.append(helpful)
