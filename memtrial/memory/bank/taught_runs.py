"""What runs teach a bank: distilled as the settings say, and kept with the runs they came from."""

from collections.abc import Sequence
from dataclasses import dataclass

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View, recount
from memtrial.memory.bank.distillation.distil import AskText, distil_attempts, distil_drafts, distil_run
from memtrial.memory.bank.distillation.distil_messages import LIKE_TASKS, SAME_TASK, ask_for_signs
from memtrial.memory.bank.distillation.distilled_items import Distillation, DistilledItem
from memtrial.memory.bank.distillation.told_truths import Truths, drop_told, join_truths
from memtrial.memory.bank.earlier_runs import find_opposite
from memtrial.memory.bank.events.episode_queries import list_taught
from memtrial.memory.bank.events.kept_episode import make_episode
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.repeated_items import drop_repeats
from memtrial.memory.item import ProseItem


@dataclass(frozen=True, slots=True)
class Taught:
    """What became of runs.

    Args:
        item_ids: of the new items; none where the bank had the runs already.
        compared: earlier runs that these were compared with.
        updated: items that the bank had of these runs before; they stay as they are, and nobody is asked.
    """

    item_ids: tuple[str, ...]
    distillation: Distillation
    compared: int = 0
    updated: tuple[str, ...] = ()


def teach_run(
    bank: ReasoningBank, ask: AskText, run: LabelledRun, view: View = "full", truth: Truths = ()
) -> Taught:
    """Take in one run; MemoryFault where the bank cannot be written. The same run again asks nothing.

    Args:
        truth: right answers, in training alone; none otherwise.
    """
    if (had := _find_taught(bank, (run,))) is not None:
        return had
    made, compared = distil_as_set(bank, ask, run.trajectory, view, truth)
    why = f"learnt from a run, {bank.settings.learn}"
    return Taught(bank.keep(made.items, (run,), why, beside=compared), made, len(compared))


def distil_as_set(
    bank: ReasoningBank,
    ask: AskText,
    trajectory: Trajectory,
    view: View = "full",
    truth: Truths = (),
    held_as: str = "",
) -> tuple[Distillation, tuple[LabelledRun, ...]]:
    """What one run teaches, as the bank's settings say, and the earlier runs that it was compared with.

    Of contrasts a failure teaches nothing by itself, since it shows what did not work and not what does: it
    is held, and compared as soon as a task like it succeeds. A success by itself shows what worked.

    Args:
        held_as: the id of the run's episode, where the bank has it already.
    """
    ask, learn, most = asker_of(bank, ask), bank.settings.learn, bank.settings.most_items
    compared: tuple[LabelledRun, ...] = ()
    if learn == "raw":
        item = ProseItem(recount(trajectory, view))
        made = Distillation((DistilledItem(item, trajectory.outcome),), calls=0)
    elif learn == "contrastive" and (compared := find_opposite(bank, trajectory, held_as)):
        runs = (*(run.trajectory for run in compared), trajectory)
        made = distil_attempts(ask, runs, view, LIKE_TASKS, join_truths(truth), most)
    elif learn in ("success-only", "contrastive") and trajectory.outcome == "failure":
        made = Distillation(calls=0)
    else:
        made = distil_run(ask, trajectory, view, truth=join_truths(truth), most=most)
    made = drop_told(made, (*(run.trajectory for run in compared), trajectory), truth)
    return drop_repeats(bank, made, compared), compared


def teach_attempts(
    bank: ReasoningBank, ask: AskText, runs: Sequence[LabelledRun], view: View = "full", truth: Truths = ()
) -> Taught:
    """Take in several attempts at one task, compared with each other; they may all have failed."""
    if len(runs) == 1:
        return teach_run(bank, ask, runs[0], view, truth)
    if (had := _find_taught(bank, runs)) is not None:
        return had
    trajectories, most = [run.trajectory for run in runs], bank.settings.most_items
    ask = asker_of(bank, ask)
    made = distil_attempts(ask, trajectories, view, SAME_TASK, join_truths(truth), most)
    made = drop_told(made, trajectories, truth)
    kept = bank.keep(made.items, runs, "learnt from attempts at one task", "parallel")
    return Taught(kept, made, len(runs) - 1)


def teach_drafts(
    bank: ReasoningBank, ask: AskText, drafts: Sequence[LabelledRun], view: View = "full"
) -> Taught:
    """Take in an attempt that was checked and corrected, with all its drafts; the last is the answer.

    Where the outcome did not change there is nothing to learn, and the drafts are kept without an item.
    """
    if (had := _find_taught(bank, drafts)) is not None:
        return had
    ask = asker_of(bank, ask)
    runs = [draft.trajectory for draft in drafts]
    made = distil_drafts(ask, runs, view, bank.settings.most_items)
    return Taught(
        bank.keep(made.items, drafts, "learnt from a correction", "sequential"), made, len(runs) - 1
    )


def asker_of(bank: ReasoningBank, ask: AskText) -> AskText:
    """The same model, asked for signs where the bank's items are to state them."""
    return (lambda messages: ask(ask_for_signs(messages))) if bank.settings.signs else ask


def _find_taught(bank: ReasoningBank, runs: Sequence[LabelledRun]) -> Taught | None:
    """What the bank learnt of these runs before; None where it has none of them."""
    had = list_taught(bank.log, [make_episode(run.trajectory).id for run in runs])
    return None if had is None else Taught((), Distillation(calls=0), updated=had)
