"""A process that plays whole blocks of a run: `python -m memtrial.runs.engine.processes.block_process FILE`.

It writes nothing and knows nothing of the run beside its spec. Answers to earlier blocks are not kept:
whoever asked for the block sees whether a call of it was answered before, and plays it again then.
"""

import asyncio
import gc
from contextlib import closing

from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.providers.open import open_backend
from memtrial.protocols import World
from memtrial.runs.engine.blocks import play_alike
from memtrial.runs.engine.processes.block_work import BrokenWork, Groups, PlayedBlock
from memtrial.runs.setup.processes.line_process import Line, serve_line
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import WorldFault


def answer_blocks(line: Line) -> None:
    """Play the blocks that come behind the spec, which is JSON."""
    spec = Spec.model_validate_json(line.recv())
    try:
        world = open_world(spec)
    except WorldFault as fault:
        line.recv()
        line.send(BrokenWork(f"no world can be opened: {fault}"))
        return
    model_client = ModelClient(CallCache(MemoryCallStore()), open_backend)
    gc.freeze()  # libraries stay
    gc.set_threshold(50_000, 20, 20)  # rows go by themselves, once they are sent
    with closing(world), asyncio.Runner() as runner:
        while True:
            groups: Groups = line.recv()
            line.send(runner.run(play_groups(spec, world, groups, model_client)))


async def play_groups(spec: Spec, world: World, groups: Groups, model_client: ModelClient) -> PlayedBlock:
    """The groups of one block, one after the other, by models that answer here."""
    ended = [tuple(await play_alike(spec, world, group, model_client)) for group in groups]
    return PlayedBlock(tuple(ended), model_client.cache.hand_over())


if __name__ == "__main__":
    serve_line(answer_blocks)
