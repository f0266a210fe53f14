"""What a plan learns from the world: its tasks, which of them go together, and a few rendered prompts."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from memtrial.agents.slot import NOTHING
from memtrial.agents.traces import read_traces
from memtrial.analysis.planning.variance import Clustering, clustering_of, without_clusters
from memtrial.arms.arm import PREPEND
from memtrial.faults import RunFault
from memtrial.memory.retrieval import SourceKey, Sources, make_index, nearest_records
from memtrial.models.client.types import Message
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.protocols import World
from memtrial.runs.forecast.counter_share import CounterShare, share_counters
from memtrial.runs.forecast.first_requests import audit_requests, render_arms, render_first
from memtrial.runs.preparation.world_memories import refuse_unstated, wanted_of
from memtrial.runs.setup.preflight import Experiment
from memtrial.views.rows.evidence_rows import AuditRow
from memtrial.worlds.world import Task, WorldFault

CHARACTERS = 4
"""Of a token: a rule of thumb for English; a pilot is better."""
HASHING = "hashing"
SAMPLED = 5
"""Tasks whose prompts are rendered."""
Three = NDArray[np.float64]
"""At least, likely, at most: shape (3,)."""
REPLY: Three = np.array([30.0, 60.0, 200.0])
"""Tokens of one reply of an agent: a thought and an action."""


@dataclass(frozen=True, slots=True)
class WorldSample:
    """Counts over all tasks, and means over a few.

    Args:
        n_test, n_train: tasks; none to train on where nothing is prepared.
        most_turns: that all test tasks have together.
        unit: that the tasks of a cluster share: task (each is independent), record or family.
        how: the clusters are known.
        rules, turn: tokens.
        counters: how many of a few slots `counter` applies to, by arm.
    """

    n_test: int
    n_train: int
    most_turns: int
    clusters: Clustering
    unit: str
    how: str
    rules: float
    turn: float
    turns: Three
    audit: tuple[AuditRow, ...]
    counters: tuple[CounterShare, ...] = ()

    @property
    def traces(self) -> Three:
        """Tokens of one trajectory."""
        return self.turns * (self.turn + REPLY)


def sample_world(experiment: Experiment) -> WorldSample:
    """Look at the tasks, and render the first turns of a few, spread over all; RunFault where the world
    broke."""
    spec, design = experiment.spec, experiment.design
    world = experiment.given.open_world(spec)
    try:
        tasks = world.tasks("test")
        prepares = spec.mode == "frozen" and (design.memories or design.systems)
        train = world.tasks("train") if prepares else ()
        few = tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]
        rules, turns, paths = list[float](), list[float](), list[int]()
        for task in few:
            request = render_first(experiment, world, task, world.reset(task), PREPEND(NOTHING, ()))
            rules.append(_tokens(message for message in request if message.role == "system"))
            turns.append(_tokens(message for message in request if message.role != "system"))
            paths.append(_path(world, task))
        refuse_unstated(world, tasks, few, wanted_of(design.arms))
        limit = fmean(world.step_limit(task) for task in few)
        shortest = min(fmean(paths), limit)
        rendering = render_arms(experiment, world, tasks)
        clusters, unit, how = _clusters(experiment, tasks, train)
        return WorldSample(
            n_test=len(tasks),
            n_train=len(train),
            most_turns=sum(world.step_limit(task) for task in tasks),
            clusters=clusters,
            unit=unit,
            how=how,
            rules=fmean(rules),
            turn=fmean(turns),
            turns=np.array([shortest, (shortest + limit) / 2, limit]),
            audit=audit_requests(rendering),
            counters=share_counters(rendering),
        )
    except WorldFault as fault:
        raise RunFault(f"a plan looks at a few tasks of the world, and it broke: {fault}") from fault
    finally:
        world.close()


def _tokens(messages: Iterable[Message]) -> float:
    """How many tokens the texts have, about."""
    return sum(len(message.text) for message in messages) / CHARACTERS


def _path(world: World, task: Task) -> int:
    """Turns that the world's own way takes; a world of one's own need not state it."""
    try:
        return len(world.ground_truth(task).path)
    except WorldFault:
        return 1


def _clusters(
    experiment: Experiment, tasks: tuple[Task, ...], train: tuple[Task, ...]
) -> tuple[Clustering, str, str]:
    """The clusters of the test tasks before anything is played, what a cluster shares, and how it is known.

    Retrieval by source query is carried out with the embedder that ships, which asks nobody.
    """
    spec, n = experiment.spec, len(tasks)
    unit, vectors = spec.analysis.cluster, HashingEmbedder().vectors
    if unit == "family":
        return clustering_of(task.family for task in tasks), unit, "tasks of one family are correlated"
    prepared = spec.mode != "stream" and experiment.design.memories
    sources = _sources(experiment, train) if unit == "record" and prepared else ()
    if not sources:
        return without_clusters(n), "task", "each task is taken to be independent"
    known = Sources(sources, make_index(vectors([key.query for key in sources])))
    asked, queries = spec.retrieval, vectors([task.query for task in tasks])
    nearest = nearest_records(known, tasks, queries, asked.k, asked.leave_out)
    # as the run states it: by the nearest record, and a task that is shown none is independent
    labels = [
        ("record", sources[near[0].place].task_id) if near else ("task", task.id)
        for task, near in zip(tasks, nearest, strict=True)
    ]
    how = "tasks that are shown the same nearest record are correlated"
    if asked.embedder != HASHING:
        how += f" (by words: a plan does not ask {asked.embedder})"
    return clustering_of(labels), unit, how


def _sources(experiment: Experiment, train: tuple[Task, ...]) -> tuple[SourceKey, ...]:
    """What records will be found by, in their order."""
    path = experiment.spec.traces.path
    if path is None:
        return tuple(SourceKey(task.id, task.query, task.template) for task in train)
    templates = {task.id: task.template for task in train}
    queries = {trace.task_id: trace.query for trace in read_traces(path)}
    return tuple(SourceKey(task, query, templates.get(task, "")) for task, query in queries.items())
