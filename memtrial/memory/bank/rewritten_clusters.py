"""What a task's runs taught, written anew where runs came that it has not seen.

A cluster is all runs of one task. Its last record says what its items have seen: the run of the record and
the tries beside it, or, of a record that was written anew, all runs before it. Items that nobody cited give
way to the new ones, and come back with a rollback; others stay, and are consolidation's.

Source: seeds/000 ("re-synthesise only deltas"); REQUIREMENTS A-23, A-25.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtrial.memory.bank.consolidation.dirty_clusters import find_dirty_clusters
from memtrial.memory.bank.distillation.distil import AskText, distil_attempts, distil_run
from memtrial.memory.bank.earlier_runs import labelled_of
from memtrial.memory.bank.events.bank_events import Cause
from memtrial.memory.bank.events.episode_queries import JudgedEpisode, list_episodes
from memtrial.memory.bank.events.item_queries import ItemFilter, list_items
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.taught_runs import Taught

WHO = "rewrite"
MOST_RUNS = 12
"""Of one cluster that the writer is shown, the last ones."""


@dataclass(frozen=True, slots=True)
class DirtyCluster:
    """A task with runs that what it taught has not seen.

    Args:
        runs: all of them, in their order.
        unseen: how many are new.
        instead_of: the active items that give way, by id.
    """

    task_id: str
    runs: tuple[JudgedEpisode, ...]
    unseen: int
    instead_of: tuple[str, ...]


def list_dirty(bank: ReasoningBank) -> tuple[DirtyCluster, ...]:
    """The clusters of the bank's project that are to be written anew, by task."""
    log, project = bank.log, bank.settings.project
    runs: dict[str, list[JudgedEpisode]] = defaultdict(list)
    for held in list_episodes(log):
        if held.label and held.episode.project == project:
            runs[held.episode.task_id].append(held)
    seen = _seen_of(bank, runs)
    clusters = {task: [held.episode.id for held in episodes] for task, episodes in runs.items()}
    items = [item for item in list_items(log, ItemFilter(project)) if item.origin.project == project]
    return tuple(
        DirtyCluster(
            task,
            tuple(runs[task]),
            len({*clusters[task]} - {*seen.get(task, ())}),
            tuple(
                item.id
                for item in items
                if item.origin.task_id == task and not (item.pinned or item.uses.cited)
            ),
        )
        for task in find_dirty_clusters(clusters, seen)
    )


def rewrite_cluster(bank: ReasoningBank, ask: AskText, cluster: DirtyCluster) -> Taught:
    """Have all runs of a task distilled together, and keep that in the place of what they taught before.

    Where nothing can be read, nothing is changed, and the cluster stays as it was.

    Raises:
        MemoryFault: the bank has another embedder, or cannot be written.
    """
    runs = tuple(map(labelled_of, cluster.runs[-MOST_RUNS:]))
    trajectories = [run.trajectory for run in runs]
    most = bank.settings.most_items
    if len(runs) > 1:
        made = distil_attempts(ask, trajectories, most=most)
    else:
        made = distil_run(ask, trajectories[0], most=most)
    if made.fault:
        return Taught((), made, len(runs) - 1)
    instead_of = cluster.instead_of if made.items else ()
    cause = Cause(WHO, f"written anew from {len(runs)} runs of one task")
    return Taught(bank.keep_of(made.items, runs, cause, instead_of=instead_of), made, len(runs) - 1)


def _seen_of(bank: ReasoningBank, runs: Mapping[str, Sequence[JudgedEpisode]]) -> dict[str, frozenset[str]]:
    """By task, the episodes that its last record has seen."""
    placed = dict(bank.log.read("SELECT id, sequence FROM episodes"))
    by_id = {held.episode.id: held.episode for episodes in runs.values() for held in episodes}
    seen: dict[str, frozenset[str]] = {}
    records = bank.log.read(
        "SELECT records.task_id, records.episode_id, log.sequence, log.who FROM records"
        " JOIN log USING (sequence) ORDER BY log.sequence"
    )
    for task, episode_id, sequence, who in records:
        own = [held.episode for held in runs.get(task, ())]
        if who == WHO:
            seen[task] = frozenset(episode.id for episode in own if placed[episode.id] < sequence)
        elif episode_id in by_id:
            tried = by_id[episode_id].scaling_run
            beside = {episode.id for episode in own if tried and episode.scaling_run == tried}
            seen[task] = frozenset({episode_id, *beside})
    return seen
