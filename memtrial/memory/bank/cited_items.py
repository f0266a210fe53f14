"""What items of a bank are trusted with after a task that cited them."""

from collections.abc import Sequence

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.bank_settings import ConfidenceRule
from memtrial.memory.bank.confidence.eta_rule import ETA, EtaRule
from memtrial.memory.bank.confidence.logged_signals import FollowedProject
from memtrial.memory.bank.events.bank_log import BankLog


def confidence_after(
    log: BankLog,
    items: Sequence[BankItem],
    success: bool,
    rule: ConfidenceRule,
    followed: dict[str, FollowedProject],
    eta: float = ETA,
) -> list[float]:
    """The confidence of each item; the citations stand in the log already.

    An item of a project above the one that cites it follows the signals of its own project.

    Args:
        followed: by project, what was read of this log before; it is added to.
    """
    if rule == "eta":
        return [EtaRule(eta).follow(item.confidence, (success,)) for item in items]
    for project in {item.origin.project for item in items}:
        followed.setdefault(project, FollowedProject(log, project)).catch_up()
    return [followed[item.origin.project].signals.posteriors[item.id].mean for item in items]
