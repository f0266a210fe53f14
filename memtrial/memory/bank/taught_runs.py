"""What runs teach a bank: distilled as the settings say, and kept with the runs they came from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View, recount
from memtrial.memory.bank.distillation.distil import AskText, distil_attempts, distil_drafts, distil_run
from memtrial.memory.bank.distillation.distil_messages import LIKE_TASKS, SAME_TASK, ask_for_signs
from memtrial.memory.bank.distillation.distilled_items import Distillation, DistilledItem
from memtrial.memory.bank.distillation.told_truths import Truths, drop_told, join_truths
from memtrial.memory.bank.events.episode_queries import list_episodes, list_taught
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
        updated: items that the bank had of these runs before; they stay as they are, and nobody is asked.
    """

    item_ids: tuple[str, ...]
    distillation: Distillation
    compared: int = 0
    updated: tuple[str, ...] = ()


def teach_run(
    bank: ReasoningBank, ask: AskText, run: LabelledRun, view: View = "full", truth: Truths = ()
) -> Taught:
    """Take in one run; MemoryFault where the bank cannot be written.

    Args:
        truth: right answers, in training alone; none otherwise.
    """
    if (had := _find_taught(bank, (run,))) is not None:
        return had
    ask = asker_of(bank, ask)
    trajectory, learn = run.trajectory, bank.settings.learn
    compared: Sequence[Trajectory] = ()
    if learn == "raw":
        item = ProseItem(recount(trajectory, view))
        made = Distillation((DistilledItem(item, trajectory.outcome),), calls=0)
    elif learn == "success-only" and trajectory.outcome == "failure":
        made = Distillation(calls=0)
    elif learn == "contrastive" and (compared := find_opposite(bank, trajectory)):
        made = distil_attempts(ask, (*compared, trajectory), view, LIKE_TASKS, join_truths(truth))
    else:
        made = distil_run(ask, trajectory, view, truth=join_truths(truth))
    made = drop_told(made, (*compared, trajectory), truth)
    earlier = tuple(LabelledRun(trajectory) for trajectory in reversed(compared))
    kept = bank.keep(made.items, (run,), f"learnt from a run, {learn}", beside=earlier)
    return Taught(kept, made, len(compared))


def teach_attempts(
    bank: ReasoningBank, ask: AskText, runs: Sequence[LabelledRun], view: View = "full", truth: Truths = ()
) -> Taught:
    """Take in several attempts at one task, compared with each other; they may all have failed."""
    if len(runs) == 1:
        return teach_run(bank, ask, runs[0], view, truth)
    if (had := _find_taught(bank, runs)) is not None:
        return had
    ask = asker_of(bank, ask)
    made = distil_attempts(ask, [run.trajectory for run in runs], view, SAME_TASK, join_truths(truth))
    made = drop_told(made, [run.trajectory for run in runs], truth)
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
    made = distil_drafts(ask, runs, view)
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
