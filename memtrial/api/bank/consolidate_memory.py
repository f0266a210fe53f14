"""Consolidates a bank in a folder, or says what that would change."""

import os
import time
from collections.abc import Sequence

from memtrial.api.bank.bank_embedder import HASHING, ask_nobody, embed_for
from memtrial.api.bank.kept_bank import SOMEBODY, open_bank
from memtrial.api.given_spec import client_of
from memtrial.call_purpose import Purpose
from memtrial.faults import RunFault, SpecFault, refused
from memtrial.judges.contradiction_judge import AskedContradiction
from memtrial.memory.bank.consolidated_bank import ProposedConsolidation, carry_out, propose_consolidation
from memtrial.memory.bank.consolidation.consolidation_plan import ConsolidationPlan
from memtrial.memory.bank.consolidation.consolidation_policy import ConsolidationPolicy
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.stored_item import MemoryFault
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import ModelFault
from memtrial.outcomes.given_path import path_of
from memtrial.protocols import Embedder


def consolidate_memory(
    folder: str | os.PathLike[str],
    apply: bool = False,
    embedder: str = HASHING,
    base_urls: Sequence[str] = (),
    who: str = "",
    policy: ConsolidationPolicy = ConsolidationPolicy(),
    judge: str | None = None,
) -> ConsolidationPlan:
    """What a consolidation of a bank changes: links, quarantines, duplicates, promotions, archivings.

    Args:
        apply: change it, as one batch; without it nothing is written.
        embedder: the one that made the bank's vectors.
        judge: a model that says whether two items contradict each other; None: their words say it.

    Raises:
        SpecFault: no bank is there, the embedder is another, or the bank was changed in the meantime.
        RunFault: a model gave no answer, or the embedder's provider no vector.
    """
    begun = time.perf_counter()
    with refused(MemoryFault), open_bank(path_of(folder, "the folder of a bank", SpecFault)) as log:

        async def propose(model: Embedder) -> ProposedConsolidation:
            return await _propose(log, model, policy, judge, base_urls)

        proposed = embed_for(log, embedder, base_urls, propose)
        if apply:
            carry_out(log, proposed, who or SOMEBODY, time.perf_counter() - begun)
        return proposed.plan


async def _propose(
    log: BankLog,
    embedder: Embedder,
    policy: ConsolidationPolicy,
    judge: str | None,
    base_urls: Sequence[str],
) -> ProposedConsolidation:
    space = log.read("SELECT space FROM space")
    if space and space[0][0] != embedder.space:
        raise MemoryFault(f"the bank's embedder is {space[0][0]!r}; got {embedder.space!r}: name that one")
    door = SystemDoor(ask_nobody, embedder)
    if judge is None:
        return await door.work(lambda: propose_consolidation(log, door.embed_array, policy=policy))
    client = client_of((("decide", judge),), base_urls)
    asked = AskedContradiction(Caller(client, judge, 0.0, purpose=Purpose("memory")), door.wait_for)
    try:
        return await door.work(lambda: propose_consolidation(log, door.embed_array, asked, policy))
    except (ModelFault, HaltFault) as fault:
        raise RunFault(f"nothing was changed, for the judge gave no answer: {fault}") from fault
    finally:
        await client.close()
