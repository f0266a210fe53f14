"""What a bank's log says of its items: signals in order, and the confidences that follow from them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from memtrial.memory.bank.confidence.item_signals import FollowedSignals, ItemSignal, SignalFollower
from memtrial.memory.bank.events.bank_events import ConfidenceSet, ItemAdded, SignalSeen
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_body import read_event
from memtrial.memory.bank.events.item_queries import every_item

SAME_WITHIN = 1e-12
SIGNAL_EVENTS = (
    "SELECT sequence, moment, kind, body FROM log WHERE sequence > ? AND kind IN ('ItemAdded', 'SignalSeen')"
    " ORDER BY sequence"
)


@dataclass
class FollowedProject:
    """What the signals of a project's items came to so far; only what the log has got since is read again.

    Args:
        signals: counted from the confidence on that each item was added with.
    """

    log: BankLog
    project: str
    signals: SignalFollower = field(default_factory=SignalFollower, init=False)
    _latest: float = field(default=0.0, init=False)
    _seen: int = field(default=0, init=False)

    def catch_up(self) -> None:
        """Read on to the end of the log; MemoryFault where it cannot be read."""
        for sequence, moment, kind, body in self.log.read(SIGNAL_EVENTS, (self._seen,)):
            event = read_event(kind, body, None)
            if isinstance(event, ItemAdded) and event.item.origin.project == self.project:
                self.signals.add(event.item.id, event.item.confidence)
            elif isinstance(event, SignalSeen) and event.item_id in self.signals.posteriors:
                # the log is in order; a clock that was set back is not
                self._latest = max(self._latest, moment)
                for signal in _signals(event, self._latest):
                    self.signals.follow(signal)
            self._seen = sequence


def follow_project(log: BankLog, project: str) -> FollowedSignals:
    """What the signals of a project's items come to, from the confidence on that each was added with.

    Raises:
        MemoryFault: the log cannot be read.
    """
    followed = FollowedProject(log, project)
    followed.catch_up()
    signals = followed.signals
    return FollowedSignals(signals.posteriors, signals.uses, tuple(signals.history))


def learn_confidences(log: BankLog, project: str) -> tuple[ConfidenceSet, ...]:
    """The events that set the confidences of a project's items to what their signals say.

    Raises:
        MemoryFault: the log cannot be read.
    """
    followed = follow_project(log, project)
    held = [item for item in every_item(log) if item.id in followed.posteriors]
    learnt = {item.id: followed.posteriors[item.id].mean for item in held}
    return tuple(
        ConfidenceSet(item.id, learnt[item.id])
        for item in held
        if abs(item.confidence - learnt[item.id]) > SAME_WITHIN
    )


def _signals(event: SignalSeen, moment: float) -> Iterator[ItemSignal]:
    """A citation whose task's end is known says two things: that it was cited, and what came of it."""
    if event.signal == "explicit":
        if event.outcome is not None:
            yield ItemSignal(event.item_id, moment, "explicit", event.outcome == "success")
        return
    yield ItemSignal(event.item_id, moment, event.signal)
    if event.signal == "cited" and event.outcome is not None:
        yield ItemSignal(event.item_id, moment, "outcome", event.outcome == "success")
