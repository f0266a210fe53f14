"""The memories of a stream: every arm's bank has a record of each task, in the same place."""

import asyncio
from dataclasses import replace
from typing import Any

from memtrial.arms.arm import PREPEND, Arm
from memtrial.console.display import Display
from memtrial.ledger.memory_ledger import MemoryLedger
from memtrial.memory.bank_store import BankStore
from memtrial.memory.item import ProseItem
from memtrial.memory.record_bank import Bank, Record
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.conformance.fixtures import tasks_asked, trajectories
from memtrial.runs.engine.growing_memory import GrowingBank, grow
from memtrial.runs.preparation.leaks import known_secrets
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.spec import Spec
from tests.support.scripted import simulated_client

STREAM: dict[str, Any] = {
    "mode": "stream",
    "environment": {"world": "workshop", "train": 4, "test": 4},
    "backbone": "simulated/reader",
    "roles": {"condenser": "simulated/scribe", "gate": "simulated/examiner"},
    "condensers": {"theory": {"kind": "theory", "gates": ["duplicate"]}},
    "arms": ["none", "artifact"],
    "repeats": 1,
}


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


def test_the_gates_of_a_stream_look_at_what_the_arms_own_bank_holds_so_far():
    spec = Spec.model_validate(STREAM)
    world, ledger = open_world(spec), MemoryLedger()
    run = RunContext(check_spec(spec), world, HashingEmbedder(), simulated_client(), ledger, Display("none"))
    (bank,) = grow(run, "simulated/reader", 0, known_secrets(world, ()))
    trajectory = next(known for known in trajectories() if known.outcome == "success")
    task, _ = tasks_asked()[0]
    asyncio.run(bank.see(task, trajectory))
    asyncio.run(bank.see(task, replace(trajectory, task_id="again", trace_id="again")))
    findings = [{finding["finding"] for finding in row.body["findings"]} for row in ledger.condensations()]
    assert findings[0] == {"PASS"}
    assert "FAIL" in findings[1]
    world.close()
