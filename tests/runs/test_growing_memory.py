"""The memories of a stream: every arm's bank has a record of each task, in the same place."""

import asyncio

from memtrial.arms.arm import PREPEND, Arm
from memtrial.memory.bank import Bank, Record
from memtrial.memory.bank_store import BankStore
from memtrial.memory.item import ProseItem
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.conformance.fixtures import tasks_asked, trajectories
from memtrial.runs.engine.growing_memory import GrowingBank


async def condense(trajectory):
    names = (trajectory.task_id, trajectory.query, trajectory.family, "")
    return Record(*names, (ProseItem("Wait."),), trajectory.trace_id, trajectory.outcome)


def test_a_trial_that_broke_takes_its_place_with_an_empty_record():
    bank = GrowingBank(
        Arm("mine", "native", PREPEND), BankStore(HashingEmbedder(), Bank("mine", ()), "task", condense)
    )
    (first, _), (second, _) = tasks_asked()[:2]
    asyncio.run(bank.see(first, None))
    asyncio.run(bank.see(second, trajectories()[0]))
    broken, whole = bank.store.bank.records
    assert (broken.task_id, broken.query, broken.items) == (first.id, first.query, ())
    assert whole.items
    third, _ = tasks_asked()[2]
    (rows,) = asyncio.run(bank.store.search([third], 9)).rows
    assert {row.place for row in rows} == {0, 1}
