"""Which tasks will share a source record or a family, as far as it is known before anything is played."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.planning.effective_tasks import Clustering, clustering_of, independent
from loadbearing.environments.world import Task
from loadbearing.episodes.traces import read_traces
from loadbearing.memory.retrieval import Retrieval, SourceKey
from loadbearing.models.embeddings.embedding import HashingEmbedder
from loadbearing.runs.setup.preflight import Experiment

HASHING = "hashing"


@dataclass(frozen=True, slots=True)
class TaskClusters:
    """The clusters of the test tasks.

    Args:
        unit: that the tasks of a cluster share: task (each is independent), record or family.
        how: they are known.
    """

    clusters: Clustering
    unit: str
    how: str


def expected_clusters(
    experiment: Experiment, tasks: tuple[Task, ...], train: tuple[Task, ...]
) -> TaskClusters:
    """The clusters of the test tasks, before anything is played.

    With the embedder that ships, retrieval by source query is carried out: it asks nobody. With another
    one, tasks are taken to spread evenly over the records.

    Args:
        train: the tasks that memories are made of; none where nothing is prepared.
    """
    spec, n = experiment.spec, len(tasks)
    unit = spec.analysis.cluster
    apart = TaskClusters(independent(n), "task", "each task is taken to be independent")
    if unit == "family":
        families = clustering_of(task.family for task in tasks)
        return TaskClusters(families, unit, "tasks of one family are correlated")
    if unit == "task" or spec.mode == "stream" or not experiment.design.memories:
        return apart
    sources = _sources(experiment, train)
    if not sources:
        return apart
    if spec.retrieval.embedder != HASHING:
        records = min(n, len(sources))
        sizes = tuple(n // records + (at < n % records) for at in range(records))
        how = (
            f"the {len(sources)} records are taken to serve equally many tasks each, as embedder"
            f" {spec.retrieval.embedder} is not asked in a plan"
        )
        return TaskClusters(Clustering(sizes), "record", how)
    embedder = HashingEmbedder()
    index = Retrieval(embedder, spec.retrieval.k, spec.retrieval.leave_out).index(sources)
    found = index.nearest_to(embedder.embed([task.query for task in tasks]), tasks)
    # as the run states it: by the nearest record, and a task that is shown none is independent
    labels = [
        ("record", hits[0].task_id) if hits else ("task", task.id)
        for task, hits in zip(tasks, found, strict=True)
    ]
    how = "tasks that are shown the same nearest record are correlated"
    return TaskClusters(clustering_of(labels), "record", how)


def _sources(experiment: Experiment, train: tuple[Task, ...]) -> tuple[SourceKey, ...]:
    """What records will be found by, in their order."""
    path = experiment.spec.traces.path
    if path is None:
        return tuple(SourceKey(task.id, task.query, task.template) for task in train)
    templates = {task.id: task.template for task in train}
    traces = {trace.task_id: trace for trace in read_traces(path)}
    return tuple(SourceKey(one, traces[one].query, templates.get(one, "")) for one in traces)
