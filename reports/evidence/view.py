"""How a run may be looked at now: under which names, how far it is, and what its lock says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loadbearing.ledger.calls import unplayed
from loadbearing.ledger.lock_facts import Look, TakenLook, locked, numbered, plan_in_force, stated_plan
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.reports.evidence.lock_check import Beside, check_lock
from loadbearing.reports.evidence.monitoring import masked_look
from loadbearing.reports.inputs.cells import read_played
from loadbearing.reports.inputs.masking import NOTHING_MASKED, Mask, mask_of
from loadbearing.reports.model.monitoring import LockState


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
        said = []
        if self.lock.unmasked_looks:
            when = ", ".join(str(one.trials) for one in self.lock.unmasked_looks)
            said.append(f"Arms were unmasked before the locked data were complete: after {when} trials.")
        if self.mask:
            planned = self.own_plan.trials - sum(self.never.values())
            said.append(
                "Arms are masked in all that rests on scores until the locked data are complete"
                f" ({len(self.trials)} of {planned} trials). `--unmask` shows their names, is noted in the"
                " ledger and said here."
            )
        if self.plan.looks > 1 and not self.lock.locked:
            said.append(
                f"The spec asks for {self.plan.looks} looks and no lock fixed them before the first trial:"
                " none was taken, and no boundary was applied."
            )
        if self.taken and self.taken[-1].stop and self.taken[-1].tasks < self.plan.tasks:
            last = self.taken[-1]
            said.append(
                f"The run stopped at look {last.number} of {self.plan.looks}, after {last.tasks} of"
                f" {self.plan.tasks} tasks, by the rule that was locked (analysis.stop:"
                f" {self.plan.stop}); p and intervals of the hypotheses hold over all looks."
            )
        return said


def view_of(ledger: Ledger, beside: Beside | None, unmask: bool = False) -> View:
    """Read a run for its report; the arguments are those of `results`."""
    plan = stated_plan(ledger)
    trials = read_played(ledger, plan)
    never = unplayed(ledger.connection)
    looks = numbered(ledger, TakenLook)
    complete = _complete(plan, looks, len(trials), never)
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
        taken=tuple(masked_look(one, mask) for one in looks),
        stands=lock.locked and not lock.trials_before and not lock.amendments,
    )


def hidden_names(ledger: Ledger) -> Mask:
    """The names under which counts of successes may be shown while a run goes on; empty: the own ones."""
    stated, plan = locked(ledger), plan_in_force(ledger)
    if stated is None or plan is None:
        return NOTHING_MASKED
    done = int(ledger.connection.execute("SELECT count(DISTINCT key) FROM trials").fetchone()[0])
    if _complete(plan, numbered(ledger, TakenLook), done, unplayed(ledger.connection)):
        return NOTHING_MASKED
    return mask_of(stated.digest, plan.arms)


def _complete(plan: RunPlan, looks: Iterable[TakenLook], played: int, never: Mapping[str, int]) -> bool:
    """The run stopped at a look, or every trial that is ever to be played was."""
    stopped = any(one.stop and one.tasks < plan.tasks for one in looks)
    return stopped or played >= plan.trials - sum(never.values())
