"""What a plan learns from the world: its tasks, which of them go together, and a few rendered prompts."""

from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.planning.variance import Clustering, clustering_of, independent
from loadbearing.environments.world import Task, World, WorldFault
from loadbearing.episodes.react import SYSTEM, TURN
from loadbearing.episodes.traces import read_traces
from loadbearing.memory.retrieval import SourceKey, Sources, nearest_records
from loadbearing.models.embeddings.embedding import HashingEmbedder
from loadbearing.reports.model.audit import AuditRow
from loadbearing.runs.errors import RunFault
from loadbearing.runs.planning.rendered_requests import rendered_audit
from loadbearing.runs.prepare.world_memories import refuse_unstated, wanted_of
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.setup.worlds import open_world

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
        clusters: of the test tasks.
        unit: that the tasks of a cluster share: task (each is independent), record or family.
        how: the clusters are known.
        rules, turn: tokens.
        turns: of one episode.
        audit: in what the first requests of two arms differ.
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

    @property
    def traces(self) -> Three:
        """Tokens of one trajectory."""
        return self.turns * (self.turn + REPLY)


def sample_world(experiment: Experiment) -> WorldSample:
    """Look at the tasks, and render the first turns of a few, spread over all.

    Raises:
        SpecFault: an arm asks for what the world does not state.
        RunFault: the world broke.
    """
    spec, design = experiment.spec, experiment.design
    world = open_world(spec)
    try:
        tasks = world.tasks("test")
        prepares = spec.mode == "frozen" and (design.memories or design.systems)
        train = world.tasks("train") if prepares else ()
        few = tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]
        turns, paths = [], []
        for task in few:
            state = world.reset(task)
            shown = {"task": task.query, "observation": state.observation, "actions": state.actions or ()}
            turns.append(len(TURN.render(shown | {"memory": ""})) / CHARACTERS)
            paths.append(_path(world, task))
        refuse_unstated(world, tasks, few, wanted_of(design.arms))
        limit = fmean(world.step_limit(task) for task in few)
        shortest = min(fmean(paths), limit)
        clusters, unit, how = _clusters(experiment, tasks, train)
        return WorldSample(
            n_test=len(tasks),
            n_train=len(train),
            most_turns=sum(world.step_limit(task) for task in tasks),
            clusters=clusters,
            unit=unit,
            how=how,
            rules=len(SYSTEM.render({"rules": world.rules, "memory": ""})) / CHARACTERS,
            turn=fmean(turns),
            turns=np.array([shortest, (shortest + limit) / 2, limit]),
            audit=rendered_audit(experiment, world, tasks),
        )
    except WorldFault as fault:
        raise RunFault(f"a plan looks at a few tasks of the world, and it broke: {fault}") from fault
    finally:
        world.close()


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

    With the embedder that ships, retrieval by source query is carried out: it asks nobody. With another
    one, tasks are taken to spread evenly over the records.
    """
    spec, n = experiment.spec, len(tasks)
    unit, vectors = spec.analysis.cluster, HashingEmbedder().vectors
    if unit == "family":
        return clustering_of(task.family for task in tasks), unit, "tasks of one family are correlated"
    prepared = spec.mode != "stream" and experiment.design.memories
    sources = _sources(experiment, train) if unit == "record" and prepared else ()
    if not sources:
        return independent(n), "task", "each task is taken to be independent"
    if spec.retrieval.embedder != HASHING:
        records = min(n, len(sources))
        sizes = tuple(n // records + (at < n % records) for at in range(records))
        how = f"the {len(sources)} records are taken to serve equally many tasks each, as embedder"
        return Clustering(sizes), unit, f"{how} {spec.retrieval.embedder} is not asked in a plan"
    known = Sources(sources, vectors([key.query for key in sources]))
    asked, queries = spec.retrieval, vectors([task.query for task in tasks])
    found = nearest_records(known, tasks, queries, asked.k, asked.leave_out)
    # as the run states it: by the nearest record, and a task that is shown none is independent
    labels = [
        ("record", sources[near[0]].task_id) if near else ("task", task.id)
        for task, near in zip(tasks, found, strict=True)
    ]
    return clustering_of(labels), unit, "tasks that are shown the same nearest record are correlated"


def _sources(experiment: Experiment, train: tuple[Task, ...]) -> tuple[SourceKey, ...]:
    """What records will be found by, in their order."""
    path = experiment.spec.traces.path
    if path is None:
        return tuple(SourceKey(task.id, task.query, task.template) for task in train)
    templates = {task.id: task.template for task in train}
    queries = {trace.task_id: trace.query for trace in read_traces(path)}
    return tuple(SourceKey(task, query, templates.get(task, "")) for task, query in queries.items())
