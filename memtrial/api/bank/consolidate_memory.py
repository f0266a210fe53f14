"""Consolidates a bank in a folder, or says what that would change."""

import os
import time
from collections.abc import Sequence

import numpy as np

from memtrial.api.bank.bank_embedder import HASHING, embed_for
from memtrial.api.bank.kept_bank import SOMEBODY, open_bank
from memtrial.faults import SpecFault, refused
from memtrial.memory.bank.consolidated_bank import ProposedConsolidation, carry_out, propose_consolidation
from memtrial.memory.bank.consolidation.consolidation_plan import ConsolidationPlan
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.stored_item import MemoryFault
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.types import Message, ModelFault, Reply
from memtrial.models.embeddings.embedding import Array
from memtrial.outcomes.given_path import path_of
from memtrial.protocols import Embedder


def consolidate_memory(
    folder: str | os.PathLike[str],
    apply: bool = False,
    embedder: str = HASHING,
    base_urls: Sequence[str] = (),
    who: str = "",
) -> ConsolidationPlan:
    """What a consolidation of a bank changes: links, quarantines, duplicates, promotions, archivings.

    Args:
        apply: change it, as one batch; without it nothing is written.
        embedder: the one that made the bank's vectors.

    Raises:
        SpecFault: no bank is there, the embedder is another, or the bank was changed in the meantime.
        RunFault: the embedder's provider gave no vector.
    """
    begun = time.perf_counter()
    with refused(MemoryFault), open_bank(path_of(folder, "the folder of a bank", SpecFault)) as log:

        async def propose(model: Embedder) -> ProposedConsolidation:
            return await _propose(log, model)

        proposed = embed_for(log, embedder, base_urls, propose)
        if apply:
            carry_out(log, proposed, who or SOMEBODY, time.perf_counter() - begun)
        return proposed.plan


async def _propose(log: BankLog, embedder: Embedder) -> ProposedConsolidation:
    space = log.read("SELECT space FROM space")
    if space and space[0][0] != embedder.space:
        raise MemoryFault(f"the bank's embedder is {space[0][0]!r}; got {embedder.space!r}: name that one")
    door = SystemDoor(_ask_nobody, embedder)

    def embed(texts: Sequence[str]) -> Array:
        return np.asarray(door.embed(texts), dtype=np.float32)

    return await door.work(lambda: propose_consolidation(log, embed))


async def _ask_nobody(_: tuple[Message, ...]) -> Reply:
    raise ModelFault("a consolidation asks no model")
