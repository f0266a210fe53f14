"""The order in which tasks are completed: with looks, whole clusters one after the other."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.runs.spec.spec import Spec
from loadbearing.runs.trials.trials import Block


def in_order(spec: Spec, blocks: tuple[Block, ...], clusters: Mapping[str, str]) -> tuple[Block, ...]:
    """The blocks as they are played.

    Without looks they stay as they were laid out. With looks, all blocks of a cluster of tasks come one after
    the other, clusters, and the tasks in one, in an order drawn from the seed: at a look, the tasks played
    are a random sample of whole clusters.

    Args:
        blocks: in random order.
        clusters: of each task that has one.
    """
    if spec.analysis.looks < 2:
        return blocks
    tasks = list(dict.fromkeys(sorted(block.task.id for block in blocks)))
    rng = generator(spec.seed, Stream.TASK_ORDER)
    drawn = [tasks[place] for place in rng.permutation(len(tasks))]
    first: dict[str, int] = {}
    for place, task in enumerate(drawn):
        first.setdefault(clusters.get(task) or f"task {task}", place)
    rank = {task: (first[clusters.get(task) or f"task {task}"], place) for place, task in enumerate(drawn)}
    return tuple(sorted(blocks, key=lambda block: rank[block.task.id]))


def task_order(blocks: tuple[Block, ...]) -> list[str]:
    """Tasks in the order in which their last blocks are played."""
    last = {block.task.id: place for place, block in enumerate(blocks)}
    return sorted(last, key=lambda task: last[task])
