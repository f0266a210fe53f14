"""A rolling audit of the judge: one verdict in twenty is held against the world's own word.

Which ones, the episode's digest says: the same episodes in every run, and no judge can know them. The world's
word stands in the log before the judge's, which goes on to count: a check teaches the bank nothing.

Source: seeds/003 section 4; REQUIREMENTS F-19.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from memtrial.memory.bank.events.bank_events import VerdictGiven
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_body import read_event

SHARE = 0.05
WORLD = "world"
"""The judge that is no model."""
CHECKED = "the check of one verdict in twenty"


@dataclass(frozen=True, slots=True)
class VerdictAudit:
    """What the checks of a judge came to, in numbers of episodes.

    Args:
        judged: that a judge labelled.
        both_success, both_failure: checked, and it said what the world says.
        false_success: it said success of what the world calls a failure.
        false_failure: the other way round.
    """

    judged: int = 0
    both_success: int = 0
    false_success: int = 0
    false_failure: int = 0
    both_failure: int = 0

    @property
    def checked(self) -> int:
        """Episodes that have both verdicts."""
        return self.both_success + self.false_success + self.false_failure + self.both_failure


def is_checked(episode_id: str, share: float = SHARE) -> bool:
    """Whether an episode is one of those whose verdicts are checked: this share of all, by their ids."""
    drawn = int.from_bytes(sha256(f"audit {episode_id}".encode()).digest()[:8], "big")
    return drawn < share * 2**64


def audit_verdicts(log: BankLog) -> VerdictAudit:
    """The checks that a bank's log holds; MemoryFault where it cannot be read."""
    said: dict[str, dict[bool, str]] = defaultdict(dict)
    for kind, body in log.read("SELECT kind, body FROM log WHERE kind = 'VerdictGiven' ORDER BY sequence"):
        event = read_event(kind, body, None)
        if isinstance(event, VerdictGiven):
            said[event.episode_id][event.judge == WORLD] = event.label
    judged = [by_world for by_world in said.values() if False in by_world]
    pairs = [(by_world[False], by_world[True]) for by_world in judged if True in by_world]
    return VerdictAudit(
        len(judged),
        pairs.count(("success", "success")),
        pairs.count(("success", "failure")),
        pairs.count(("failure", "success")),
        pairs.count(("failure", "failure")),
    )


def sum_audits(audits: Iterable[VerdictAudit]) -> VerdictAudit:
    """All of them together."""
    held = tuple(audits)
    return VerdictAudit(
        sum(audit.judged for audit in held),
        sum(audit.both_success for audit in held),
        sum(audit.false_success for audit in held),
        sum(audit.false_failure for audit in held),
        sum(audit.both_failure for audit in held),
    )


def audit_words(audit: VerdictAudit) -> str:
    """In one sentence."""
    if not audit.judged:
        return "No verdict of a judge was kept."
    agreed = audit.both_success + audit.both_failure
    return (
        f"The world's own word was held against {audit.checked} of {audit.judged} verdicts: {agreed} agree"
        f" ({audit.both_success} successes, {audit.both_failure} failures);"
        f" {audit.false_success} failures were called a success, {audit.false_failure} successes a failure."
    )
