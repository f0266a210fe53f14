"""What a bank's log says of its items: signals in order, and the confidences that follow from them."""

from collections.abc import Iterator

from memtrial.memory.bank.confidence.item_signals import FollowedSignals, ItemSignal, follow_signals
from memtrial.memory.bank.events.bank_events import ConfidenceSet, ItemAdded, SignalSeen
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import every_item

SAME_WITHIN = 1e-12


def follow_project(log: BankLog, project: str) -> FollowedSignals:
    """What the signals of a project's items come to, from the confidence on that each was added with.

    Raises:
        MemoryFault: the log cannot be read.
    """
    stored: dict[str, float] = {}
    signals: list[ItemSignal] = []
    latest = 0.0
    for logged in log.history():
        event = logged.event
        if isinstance(event, ItemAdded) and event.item.origin.project == project:
            stored[event.item.id] = event.item.confidence
        elif isinstance(event, SignalSeen) and event.item_id in stored:
            # the log is in order; a clock that was set back is not
            latest = max(latest, logged.moment)
            signals += _signals(event, latest)
    return follow_signals(signals, stored)


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
