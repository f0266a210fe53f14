"""A process that damages or plays whole blocks of a run, whose file of the line is its argument.

`python -m memtrial.runs.engine.processes.block_process FILE`. It writes nothing, and knows nothing of the run
beside its spec and what its blocks are laid out from. Answers to earlier blocks are not kept: whoever asked
for the block sees whether a call of it was answered before, and plays it again then.
"""

import asyncio
import gc
from contextlib import closing
from dataclasses import dataclass, field

from memtrial.faults import RESUME, RunFault
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.providers.open import open_backend
from memtrial.protocols import World
from memtrial.runs.engine.blocks import play_alike
from memtrial.runs.engine.processes.block_work import (
    Answer,
    BlockBasis,
    BrokenWork,
    DamagedBlocks,
    DamageWork,
    PlayedBlock,
    PlayWork,
    Work,
)
from memtrial.runs.setup.processes.line_process import Line, serve_line
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.planned.left_blocks import group_alike
from memtrial.runs.trials.planned.planned_blocks import BlockSource
from memtrial.runs.trials.trials import interleave
from memtrial.worlds.world import WorldFault


def answer_blocks(line: Line) -> None:
    """Do the work that comes behind the spec, which is JSON, and what its blocks are laid out from."""
    spec = Spec.model_validate_json(line.recv())
    try:
        world = open_world(spec)
    except WorldFault as fault:
        while isinstance(line.recv(), BlockBasis):
            pass
        line.send(BrokenWork(f"no world can be opened: {fault}; {RESUME}"))
        return
    gc.freeze()  # libraries stay
    gc.set_threshold(50_000, 20, 20)  # rows go by themselves, once they are sent
    with closing(world), asyncio.Runner() as runner:
        basis: BlockBasis = line.recv()
        worker = BlockWorker(spec, world, basis.open(spec, world))
        answer: Answer | None = None
        while not isinstance(answer, BrokenWork):
            answer = runner.run(worker.answer(line.recv()))
            line.send(answer)


@dataclass
class BlockWorker:
    """Damages and plays blocks, one at a time, by models that answer here."""

    spec: Spec
    world: World
    source: BlockSource
    model_client: ModelClient = field(
        default_factory=lambda: ModelClient(CallCache(MemoryCallStore()), open_backend)
    )
    _given: set[str] = field(default_factory=set)

    async def answer(self, work: Work) -> Answer:
        """What is asked for."""
        if isinstance(work, DamageWork):
            try:
                return self.damage(work)
            except RunFault as fault:  # of code of the user's
                return BrokenWork(str(fault))
        assert isinstance(work, PlayWork)  # a basis comes once
        return await self.play(work)

    def damage(self, work: DamageWork) -> DamagedBlocks:
        """Lay these blocks out; their damage is kept by whoever asked."""
        outlines, damages = {}, {}
        given: set[tuple[int, int, int]] = set()
        for number in work.numbers:
            outlines[number] = self.source.outline(number)
            if (damage := self.source.damage_of(number)) not in given:
                given.add(damage)
                damages[number] = self.source.pack(number)
        self.source.damage.forget()
        return DamagedBlocks(outlines, damages)

    async def play(self, work: PlayWork) -> PlayedBlock:
        """Play what is left of a block, one group after the other; nothing is damaged any more."""
        self.source.keep(work.number, work.damage)
        block = interleave(self.source.lay(work.number), work.order)
        self.source.damage.forget()
        groups = group_alike(block, work.finished)
        ended = [tuple(await play_alike(self.spec, self.world, group, self.model_client)) for group in groups]
        texts = {digest: text for digest, text in block.texts.items() if digest not in self._given}
        self._given |= texts.keys()
        return PlayedBlock(tuple(ended), self.model_client.cache.hand_over(), texts)


if __name__ == "__main__":
    serve_line(answer_blocks)
