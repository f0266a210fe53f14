"""What runs teach a bank: distilled as the settings say, and kept with the runs they came from."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View, recount
from memtrial.memory.bank.distillation.distil import AskText, distil_attempts, distil_drafts, distil_run
from memtrial.memory.bank.distillation.distil_messages import LIKE_TASKS, SAME_TASK
from memtrial.memory.bank.distillation.distilled_items import Distillation, DistilledItem
from memtrial.memory.bank.distillation.told_truths import Truths, drop_told, join_truths
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.episode_queries import list_episodes
from memtrial.memory.bank.events.kept_episode import make_episode, read_trajectory
from memtrial.memory.bank.index.vector_index import cosines
from memtrial.memory.bank.reasoning_bank import LabelledRun, ReasoningBank
from memtrial.memory.item import ProseItem

LIKE = 0.5
"""The cosine of two tasks' texts from which on they may be alike."""
NEAREST = 4
"""Earlier runs that are looked at, the nearest ones, whatever came of them."""


@dataclass(frozen=True, slots=True)
class Taught:
    """What became of runs.

    Args:
        item_ids: of the new items; none where the bank had the runs already.
        compared: earlier runs that these were compared with.
        updated: items that a run of before taught, which is here again: nothing is asked, and nothing new.
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
    taught = find_taught(bank.log, run.trajectory)
    if taught is not None:
        return Taught((), Distillation(calls=0), updated=taught)
    made, compared = distil_as_set(bank, ask, run.trajectory, view, truth)
    earlier = tuple(LabelledRun(trajectory) for trajectory in reversed(compared))
    why = f"learnt from a run, {bank.settings.learn}"
    return Taught(bank.keep(made.items, (run,), why, beside=earlier), made, len(compared))


def find_taught(log: BankLog, run: Trajectory) -> tuple[str, ...] | None:
    """The items that this very run taught the bank, by id; None where it has taught nothing yet."""
    rows = log.read("SELECT item_ids FROM records WHERE episode_id = ?", (make_episode(run).id,))
    return tuple(json.loads(rows[0][0])) if rows else None


def distil_as_set(
    bank: ReasoningBank, ask: AskText, trajectory: Trajectory, view: View = "full", truth: Truths = ()
) -> tuple[Distillation, Sequence[Trajectory]]:
    """What one run teaches, as the bank's settings say, and the earlier runs that it was compared with."""
    learn, most = bank.settings.learn, bank.settings.most_items
    compared: Sequence[Trajectory] = ()
    if learn == "raw":
        item = ProseItem(recount(trajectory, view))
        made = Distillation((DistilledItem(item, trajectory.outcome),), calls=0)
    elif learn == "success-only" and trajectory.outcome == "failure":
        made = Distillation(calls=0)
    elif learn == "contrastive" and (compared := find_opposite(bank, trajectory)):
        made = distil_attempts(ask, (*compared, trajectory), view, LIKE_TASKS, join_truths(truth), most)
    else:
        made = distil_run(ask, trajectory, view, truth=join_truths(truth), most=most)
    return drop_told(made, (*compared, trajectory), truth), compared


def teach_attempts(
    bank: ReasoningBank, ask: AskText, runs: Sequence[LabelledRun], view: View = "full", truth: Truths = ()
) -> Taught:
    """Take in several attempts at one task, compared with each other; they may all have failed."""
    if len(runs) == 1:
        return teach_run(bank, ask, runs[0], view, truth)
    trajectories = [run.trajectory for run in runs]
    most = bank.settings.most_items
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
    runs = [draft.trajectory for draft in drafts]
    made = distil_drafts(ask, runs, view, bank.settings.most_items)
    return Taught(
        bank.keep(made.items, drafts, "learnt from a correction", "sequential"), made, len(runs) - 1
    )


def find_opposite(bank: ReasoningBank, run: Trajectory) -> tuple[Trajectory, ...]:
    """Earlier runs that ended otherwise, among those of the tasks most like this one, the nearest last.

    A fixed cosine alone tells nothing where all tasks are worded alike, so only the nearest runs count.

    Source: seeds/000, positive and negative samples that are similar to the context.
    """
    project = bank.settings.project
    judged = [held for held in list_episodes(bank.log) if held.label and held.episode.project == project]
    if not judged:
        return ()
    vectors = bank.embed([run.query, *(held.episode.query for held in judged)])
    near = cosines(vectors[0], vectors[1:])
    alike = [place for place in np.argsort(-near, kind="stable")[:NEAREST] if near[place] >= LIKE]
    opposite = [judged[place] for place in reversed(alike) if judged[place].label != run.outcome]
    return tuple(read_trajectory(held.episode) for held in opposite)
