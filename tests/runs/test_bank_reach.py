"""Reach `bank`: any record but the task's own may come up, damaged as it would be by itself."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.arms.arm import TRIGGER, Arm
from memtrial.arms.trigger_watch import watch
from memtrial.faults import SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import render, split_items
from memtrial.memory.retrieval import SourceKey
from memtrial.perturbations.aim import Aim
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot
from memtrial.runs.setup.design import Design, design_of
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.slot_damage import Damager, Place, in_reach
from memtrial.worlds.world import Task
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

FAR = Arm("far", "theory", TRIGGER, "bank")
CUE = "Notes from earlier tasks."
TASKS = tuple(Task(f"t{n}", "Start it.", family, f"{family}/x", "test") for n, family in enumerate("abcdef"))


def item(source: str, number: int) -> TheoryItem:
    said = f"{source}{number}"
    return TheoryItem(f'In "{said}", do `press {said}`.', f'state: "{said}"', "So.", "Here.", "heuristic")


def records(*families: str) -> Mapping[SourceKey, IntactSlot]:
    found = {}
    for place, family in enumerate(families):
        source = f"t{place}" if place < 2 else f"s{place}"
        items = tuple(item(source, number) for number in (1, 2))
        texts = tuple(render(one, number) for number, one in enumerate(items, 1))
        key = SourceKey(source, "Start it.", f"{family}/x" if place < 3 else "")
        found[key] = IntactSlot(Slot(CUE, texts), watch(items), (source,))
    return found


def slots(*families: str) -> ArmSlots:
    held = records(*families)
    of_source = {key.task_id: family for key, family in zip(held, families, strict=True)}
    return ArmSlots(
        digests={"theory": "d"},
        shown={("theory", task.id): IntactSlot(Slot(), (), ("s4",)) for task in TASKS},
        shadow={},
        families=of_source | {task.id: task.family for task in TASKS},
        texts={"theory": {key.task_id: one.slot.items for key, one in held.items()}},
        records={"theory": held},
    )


@dataclass
class Noted:
    """Damages all but one text, and notes which donors it was offered."""

    offered: list[str]
    name: str = "corrupt_mask"
    aim: Aim = CorruptMask().aim
    effect: str = "meaning"
    spared: str = "s3"

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        if self.spared in slot.text:
            return NotApplicable("spared")
        self.offered.append(context.donors[0].text)
        return CorruptMask().apply(slot, rng, context)


def spec(**more: object) -> Spec:
    whole = {"environment": {"world": "workshop"}, "backbone": "simulated/reader", "arms": ["activation"]}
    return Spec.model_validate(whole | more)


FAMILIES = tuple("abcdef")


@pytest.mark.parametrize("leave_out", ["task", "template"])
def test_all_records_but_the_tasks_own_and_those_that_cannot_be_damaged(leave_out):
    kind, asked = Noted([]), spec(retrieval={"leave_out": leave_out})
    damager = Damager(asked)
    whole = in_reach(asked, Design((FAR,), {"far": (kind,)}, ()), TASKS, slots(*FAMILIES), damager)
    for task in TASKS:
        reached = whole.of(FAR, task)
        own = {task.id} if leave_out == "task" else {task.id, *(["s2"] if task.family == "c" else [])}
        assert {source for part in reached.parts for source in part.sources} == {
            "t0", "t1", "s2", "s4", "s5",
        } - own  # fmt: skip
        assert reached.sources[0] == "s4"  # what would be retrieved is the unit
        assert [one.item for one in reached.watched] == list(range(len(reached.slot.items)))
        # each Trigger is watched at the place of its own text
        for one in reached.watched:
            assert one.trigger.text in reached.slot.items[one.item]
        after, row = damager.damage(Place("b", task, 0, 0), whole, FAR, kind)
        assert after is not None
        assert len(after.items) == len(reached.slot.items)
        assert row.before == reached.slot.digest
        assert all(one != other for one, other in zip(after.items, reached.slot.items, strict=True))
        assert damager.damage(Place("b", task, 9, 3), whole, FAR, kind)[0] == after  # once for all repeats


@pytest.mark.parametrize("families", [FAMILIES, tuple("abbbcc")])
def test_no_donor_is_of_the_tasks_or_the_records_family(families):
    for task in TASKS[:3]:
        kind = Noted([], spared="nothing")
        held = slots(*families)
        in_reach(spec(), Design((FAR,), {"far": (kind,)}, ()), (task,), held, Damager(spec()))
        assert kind.offered
        own = {key.task_id for key in held.records["theory"] if held.families[key.task_id] == task.family}
        assert not any(f'"{source}1"' in offered for offered in kind.offered for source in own)


def test_where_it_makes_no_sense_it_is_refused_in_one_line():
    far = {"name": "far", "condenser": "theory", "injection": "trigger", "reach": "bank"}
    for more, said in (
        ({"arms": [far | {"injection": "prepend"}]}, "needs a condenser's items that wait"),
        (
            {"arms": [far | {"condenser": None, "memory": "a/b.py:C", "injection": "state"}]},
            "items that wait",
        ),
        ({"arms": [far], "mode": "stream"}, "mode: stream"),
        ({"arms": [far], "roles": {"judge": "simulated/decider"}}, "roles.judge and roles.perturber"),
        ({"arms": [far | {"reach": "all"}]}, "'retrieved' or 'bank'"),
    ):
        with pytest.raises(ValueError, match=said):
            spec(**more)
    with pytest.raises(SpecFault, match="needs a condenser's bank"):
        design_of(spec(arms=[far | {"condenser": "planted-theory"}]))


RUN = """
name: far
seed: 3
environment: {world: workshop, train: 16, test: 4, families: 8}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: expert, expert_share: 1.0}
arms: [none, activation, {name: far, condenser: theory, injection: enforce, reach: bank}]
conditions: [corrupt_invert]
repeats: 1
draws: one
"""


def test_what_comes_up_is_delivered_from_anywhere_in_the_bank(tmp_path: Path) -> None:
    assert play_spec(load_spec(write_spec(tmp_path, RUN)), tmp_path / "out") == 0
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    texts, came, n_items = dict(ledger.slots()), 0, set()
    for row in ledger.trials():
        assert row.undelivered == 0
        if row.arm != "far":
            continue
        items = split_items(texts[row.slot])[1:]
        n_items.add(len(items))
        episode = ledger.episode(row.key)
        assert episode is not None
        asked = "\n".join(one["content"] for one in episode.conversation if one["role"] == "user")
        shown = [items[firing["item"]] for firing in row.firings]
        assert all(text in asked for text in shown)
        came += len(shown)
    checks = {(row.condition, row.passed) for row in ledger.checks() if row.arm == "far"}
    ledger.close()
    assert checks == {("corrupt_invert", True)}
    assert came > 3
    assert len(n_items) == 1  # what may come up is the same in all cells
    assert n_items.pop() > 8
    notes = json.loads((tmp_path / "out" / "results.json").read_text())["notes"]
    assert any(note.startswith("far reaches into its whole bank") for note in notes)
