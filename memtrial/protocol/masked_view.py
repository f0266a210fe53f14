"""A run as it may be shown now: under which names, with which notes."""

from dataclasses import dataclass

from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import (
    Look,
    RunPlan,
    TakenLook,
    read_numbered,
    stated_plan,
)
from memtrial.protocol.hidden_names import is_complete
from memtrial.protocol.lock_check import Beside, check_lock
from memtrial.protocol.masking import NOTHING_MASKED, Mask, mask_of
from memtrial.protocol.monitoring import masked_look
from memtrial.protocol.monitoring_rows import LockState
from memtrial.protocol.run_cells import read_played
from memtrial.protocols import LedgerStore


@dataclass(frozen=True)
class View:
    """A run as it may be shown.

    Args:
        plan, trials, never, taken: under the names that may be shown; `never`: trials by arm not to be.
        own_plan, own_trials: under the arms' own names, for what rests on no score.
        stands: a lock was made before the first trial and not amended, so that its looks and its end count.
    """

    plan: RunPlan
    trials: tuple[TrialRow, ...]
    never: dict[str, int]
    own_plan: RunPlan
    own_trials: tuple[TrialRow, ...]
    mask: Mask
    lock: LockState
    taken: tuple[Look, ...]
    stands: bool

    @property
    def notes(self) -> list[str]:
        """What a reader has to know about the way of looking; on the lock itself, see there."""
        sentences = []
        if self.lock.unmasked_looks:
            when = ", ".join(str(look.trials) for look in self.lock.unmasked_looks)
            sentences.append(f"Arms were unmasked before the locked data were complete: after {when} trials.")
        if self.mask:
            planned = self.own_plan.trials - sum(self.never.values())
            sentences.append(
                "Arms are masked in all that rests on scores until the locked data are complete"
                f" ({len(self.trials)} of {planned} trials). `--unmask` shows their names, is noted in the"
                " ledger and said here."
            )
        if self.plan.looks > 1 and not self.lock.locked:
            sentences.append(
                f"The spec asks for {self.plan.looks} looks and no lock fixed them before the first trial:"
                " none was taken, and no boundary was applied."
            )
        last = self.taken[-1] if self.taken else None
        if last and last.stop and last.tasks < self.plan.tasks:
            sentences.append(
                f"The run stopped at look {last.number} of {self.plan.looks}, after {last.tasks} of"
                f" {self.plan.tasks} tasks, by the rule that was locked (analysis.stop:"
                f" {self.plan.stop}); p and intervals of the hypotheses hold over all looks."
            )
        return sentences


def view_of(ledger: LedgerStore, beside: Beside | None, unmask: bool = False) -> View:
    """Read a run for its report; the arguments are those of `results`."""
    plan = stated_plan(ledger)
    trials = read_played(ledger, plan)
    never = ledger.accounts.unplayed_trials()
    looks = read_numbered(ledger, TakenLook)
    complete = is_complete(plan, looks, len(trials), never)
    lock = check_lock(ledger, plan, trials, beside, complete, unmask)
    mask = mask_of(lock.digest, plan.arms) if lock.masked else NOTHING_MASKED
    return View(
        plan=mask.plan(plan),
        trials=mask.rows(trials),
        never=mask.by_arm(never),
        own_plan=plan,
        own_trials=trials,
        mask=mask,
        lock=lock,
        taken=tuple(masked_look(look, mask) for look in looks),
        stands=lock.locked and not lock.trials_before and not lock.amendments,
    )
