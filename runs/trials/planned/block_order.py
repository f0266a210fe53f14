"""The order in which blocks are played, and in each its trials: numbers alone, drawn from the seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from memtrial.ledger.random_streams import Stream, generator
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.slot_damage import Place
from memtrial.worlds.world import Task

Numbers = NDArray[np.int64]
Orders = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class BlockPlaces:
    """The places of all blocks of a run, numbered as they are laid out: by backbone, task and repeat."""

    backbones: tuple[str, ...]
    tasks: tuple[Task, ...]
    repeats: int

    def __len__(self) -> int:
        return len(self.backbones) * len(self.tasks) * self.repeats

    def place_of(self, number: int) -> Place:
        """The block of this number."""
        first, repeat = divmod(number, self.repeats)
        backbone, index = divmod(first, len(self.tasks))
        return Place(self.backbones[backbone], self.tasks[index], index, repeat)

    def numbers_of(self, index: int) -> tuple[int, ...]:
        """The blocks of a task, by its place among the tasks; in the order of backbones and repeats."""
        first = range(index * self.repeats, len(self), len(self.tasks) * self.repeats)
        return tuple(start + repeat for start in first for repeat in range(self.repeats))

    def index_of(self, number: int) -> int:
        """The task of a block, as its place among the tasks."""
        return number // self.repeats % len(self.tasks)


def draw_order(seed: int, n: int) -> tuple[Numbers, Generator]:
    """The blocks of a run in random order, by their numbers; and what goes on drawing for `draw_cells`."""
    rng = generator(seed, Stream.TRIALS)
    return rng.permutation(n), rng


def draw_cells(order: Numbers, sizes: Sequence[int], rng: Generator) -> Orders:
    """The order of the trials in each block; those of block 0 first, though it is drawn as blocks are played.

    Args:
        sizes: trials of each block, by its number.
    """
    ends = np.cumsum(np.asarray(sizes, dtype=np.int64))
    cells = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.uint16)
    for number in order.tolist():
        end = int(ends[number])
        cells[end - sizes[number] : end] = rng.permutation(sizes[number])
    return cells


def in_order(spec: Spec, order: Numbers, places: BlockPlaces, clusters: Mapping[str, str]) -> Numbers:
    """The blocks as they are played.

    Without looks they stay in their random order. With looks, all blocks of a cluster of tasks come one after
    the other, clusters, and the tasks in one, in an order drawn from the seed: at a look, the tasks played
    are a random sample of whole clusters. `clusters` holds that of each task that has one.
    """
    if spec.analysis.looks < 2:
        return order
    tasks = sorted({task.id for task in places.tasks})
    drawn = [tasks[place] for place in generator(spec.seed, Stream.TASK_ORDER).permutation(len(tasks))]
    cluster = {task: clusters.get(task) or f"task {task}" for task in drawn}
    first: dict[str, int] = {}
    for place, task in enumerate(drawn):
        first.setdefault(cluster[task], place)
    rank = {task: (first[cluster[task]], place) for place, task in enumerate(drawn)}
    ranks = [rank[task.id] for task in places.tasks]
    return np.array(sorted(order.tolist(), key=lambda number: ranks[places.index_of(number)]), dtype=np.int64)
