"""What citations make of the confidence of a bank's items, read from its log."""

from collections.abc import Iterator, Sequence

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.bank_settings import ConfidenceRule
from memtrial.memory.bank.confidence.eta_rule import EtaRule
from memtrial.memory.bank.confidence.item_signals import FollowedSignals, ItemSignal, follow_signals
from memtrial.memory.bank.events.bank_events import ItemAdded, SignalSeen
from memtrial.memory.bank.events.bank_log import BankLog


def follow_log(log: BankLog) -> FollowedSignals:
    """All signals of a bank, in the order of its log, from the confidence with which each item was added."""
    stored: dict[str, float] = {}
    signals: list[ItemSignal] = []
    latest = 0.0
    for logged in log.history():
        # a clock that was set back changes no order
        latest = max(latest, logged.moment)
        match logged.event:
            case ItemAdded(item):
                stored[item.id] = item.confidence
            case SignalSeen() as event:
                signals += _read_signal(event, latest)
    return follow_signals(signals, stored)


def confidence_after(
    log: BankLog, items: Sequence[BankItem], success: bool, rule: ConfidenceRule
) -> list[float]:
    """What items are trusted with after a task that cited them; the citations stand in the log already."""
    if rule == "eta":
        return [EtaRule().follow(item.confidence, (success,)) for item in items]
    followed = follow_log(log)
    return [followed.posteriors[item.id].mean for item in items]


def _read_signal(event: SignalSeen, moment: float) -> Iterator[ItemSignal]:
    positive = event.outcome != "failure"
    if event.signal == "explicit":
        yield ItemSignal(event.item_id, moment, "explicit", positive)
        return
    yield ItemSignal(event.item_id, moment, event.signal)
    if event.signal == "cited" and event.outcome is not None:
        yield ItemSignal(event.item_id, moment, "outcome", positive)
