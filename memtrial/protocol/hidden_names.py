"""The names that arms go by while a locked run goes on, and when it is complete."""

from collections.abc import Iterable, Mapping

from memtrial.ledger.run_plan import RunPlan, TakenLook, plan_in_force, read_lock, read_numbered
from memtrial.protocol.masking import NOTHING_MASKED, Mask, mask_of
from memtrial.protocols import LedgerStore


def hidden_names(ledger: LedgerStore) -> Mask:
    """The names under which counts of successes may be shown while a run goes on; empty: the own ones."""
    stated, plan = read_lock(ledger), plan_in_force(ledger)
    if stated is None or plan is None:
        return NOTHING_MASKED
    done = ledger.accounts.trials_played()
    if is_complete(plan, read_numbered(ledger, TakenLook), done, ledger.accounts.unplayed_trials()):
        return NOTHING_MASKED
    return mask_of(stated.digest, plan.arms)


def is_complete(plan: RunPlan, looks: Iterable[TakenLook], played: int, never: Mapping[str, int]) -> bool:
    """The run stopped at a look, or every trial that is ever to be played was."""
    stopped = any(look.stop and look.tasks < plan.tasks for look in looks)
    return stopped or played >= plan.trials - sum(never.values())
