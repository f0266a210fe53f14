"""A consolidation as it is carried out: one batch, taken back item by item, and refused on a changed bank."""

from pathlib import Path

import numpy as np
import pytest

from memtrial.memory.bank.bank_settings import BankSettings
from memtrial.memory.bank.consolidated_bank import carry_out, count_new_items, propose_consolidation
from memtrial.memory.bank.distillation.distilled_items import DistilledItem
from memtrial.memory.bank.events.audit_trail import audit_bank
from memtrial.memory.bank.events.bank_events import Cause
from memtrial.memory.bank.events.item_queries import get_item, list_links
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.item import NativeItem
from memtrial.memory.stored_item import MemoryFault
from tests.support.event_bank import make_trajectory
from tests.support.evolving import bank_in

SAME = NativeItem("Open the gate", "At the gate.", "Pull the lever before you push.")


def keep(bank: ReasoningBank, *words: NativeItem) -> tuple[str, ...]:
    """Each as the item of a run of its own."""
    begun = len(bank.log.read("SELECT id FROM episodes"))
    made = []
    for number, item in enumerate(words, begun):
        made += bank.keep([DistilledItem(item, "success")], [LabelledRun(make_trajectory(number))], "a test")
    return tuple(made)


def test_repeated_items_are_put_aside_in_one_batch_and_come_back(tmp_path: Path) -> None:
    bank = bank_in(tmp_path, BankSettings(consolidate=3))
    first, _ = keep(bank, SAME, NativeItem("Read the sign", "At a fork.", "Follow the arrow."))
    assert bank.consolidate() is None
    (second,) = keep(bank, SAME)
    before = bank.log.last()[0]
    plan = bank.consolidate()
    assert plan is not None
    assert [(change.id, change.after) for change in plan.changes] == [(second, "duplicate")]
    assert bank.items()[0].id == first
    assert second not in {item.id for item in bank.items()}
    assert [(link.source, link.target) for link in list_links(bank.log)] == [(second, first)]
    assert [line.why for line in list(audit_bank(bank.log))[before:]] == ["consolidation"] * 3
    assert count_new_items(bank.log) == 0
    bank.log.rollback(second, 1, Cause("ann", "it is another gate"))
    assert get_item(bank.log, second).standing == "active"
    # what somebody brought back is not put aside again
    again = propose_consolidation(bank.log, bank.embed)
    assert again.plan.changes == again.plan.links == ()


def test_a_plan_of_a_bank_that_was_changed_changes_nothing(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    keep(bank, SAME, SAME)
    proposed = propose_consolidation(bank.log, bank.embed)
    keep(bank, NativeItem("Read the sign", "At a fork.", "Follow the arrow."))
    place = bank.log.last()
    with pytest.raises(MemoryFault, match="changed in the meantime"):
        carry_out(bank.log, proposed, "ann")
    assert bank.log.last() == place


def test_a_bank_of_another_embedder_is_not_compared(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    keep(bank, SAME, SAME)
    with pytest.raises(MemoryFault, match="own embedder"):
        propose_consolidation(bank.log, lambda texts: np.ones((len(texts), 3), dtype=np.float32))


def test_an_empty_bank_has_nothing_to_consolidate(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    assert propose_consolidation(bank.log, bank.embed).plan.changes == ()
