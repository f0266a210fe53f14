"""A run with its judge's word, as a bank takes it in; and which of several runs an item comes of."""

from collections.abc import Sequence
from dataclasses import dataclass

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank.bank_item import Outcome
from memtrial.memory.bank.confidence.verdict_audit import WORLD
from memtrial.memory.bank.distillation.distilled_items import DistilledItem


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """A run as the bank takes it in: its outcome is that of its judge.

    Args:
        judge: who said so; `world` where no model was asked.
        sure: how sure, in [0, 1]; None for a judge that does not say.
        run_id: the experiment that it is of; empty for none.
        truth_seen: whoever distilled it was shown the task's right answer.
        world: the world's own word, by which some of a judge's verdicts are checked; None: they are not.
    """

    trajectory: Trajectory
    judge: str = WORLD
    sure: float | None = None
    run_id: str = ""
    truth_seen: bool = False
    world: Outcome | None = None


def find_source(
    made: DistilledItem, runs: Sequence[LabelledRun], beside: Sequence[LabelledRun] = ()
) -> LabelledRun:
    """The run that an item comes of: the attempt that its writer names, as they were shown in order.

    Where none is named, the first of `runs` that ended as the item says; then one of those beside it, the
    last first.
    """
    shown = (*beside, *runs)
    if 1 <= made.attempt <= len(shown):
        return shown[made.attempt - 1]
    nearest = (*runs, *reversed(beside))
    return next((run for run in nearest if run.trajectory.outcome == made.outcome), runs[0])
