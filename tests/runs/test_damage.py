"""Damage before the first trial: donors, empty slots, and a check that stops the run."""

from dataclasses import dataclass, replace

import pytest
from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.arms.arm import ARTIFACT, CONTROL
from memtrial.faults import RunFault
from memtrial.perturbations.aim import Aim
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.damage_contract import DamageContext, Damaged
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.protocols import Perturbation
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.slot_damage import Damager, Place, failed_of, refuse_failed
from memtrial.worlds.world import Task

TASK = Task("t1", "Start the loom.", "loom", "loom/flags", "test")
HEAD = "# Memory Item 1\n## Title {}\n## Description {}\n## Content {}"
OWN = HEAD.format("Loom", "On looms.", "Turn the brass lever when the belt sags.")
KIN = HEAD.format("Kin", "On looms.", "Push the walnut pedal while cloth is wound.")
FOREIGN = HEAD.format("Oven", "Ovens glow.", "Open seven vents if smoke rises, then bake.")


@dataclass(frozen=True, slots=True)
class Lazy:
    """Says it damages, and returns its input."""

    name: str = "corrupt_mask"
    aim: Aim = CorruptMask().aim

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged:
        return Damaged(slot)


def slots(*own: str) -> ArmSlots:
    slot = Slot("Notes from earlier tasks.", own) if own else Slot()
    texts = {"s1": own, "s2": (KIN,), "s3": (FOREIGN,), "s4": ()}
    families = {"s1": "loom", "s2": "loom", "s3": "oven", "s4": "kiln", "t1": "loom"}
    shown = {("native", "t1"): IntactSlot(slot, (), ("s1",))}
    return ArmSlots({"native": "d"}, shown, {"t1": ()}, families, {"native": texts})


def bench() -> Damager:
    spec = {"environment": {"world": "workshop"}, "backbone": "simulated/reader", "arms": ["control"]}
    return Damager(Spec.model_validate(spec))


def test_a_perturbation_that_returns_its_input_stops_the_run() -> None:
    _, row = bench().damage(Place("b", TASK, 0, 0), slots(OWN), CONTROL, Lazy())
    assert failed_of([row]) == [row]
    with pytest.raises(RunFault, match=r"corrupt_mask.*control.*t1.*1 of 1 checks.*no trial was played"):
        refuse_failed([row], 1)


def test_the_donor_is_of_another_family() -> None:
    for repeat in range(8):
        shown, row = bench().damage(Place("b", TASK, 0, repeat), slots(OWN), CONTROL, IrrelevantSwap())
        assert shown is not None
        text = shown.text.lower()
        assert "walnut" not in text
        assert "vents" in text or "smoke" in text or "glow" in text
        assert row.passed


@dataclass
class Seeing:
    """Notes the donors that it is offered."""

    name: str
    offered: list[tuple[Slot, ...]]
    aim: Aim = CorruptMask().aim

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged:
        self.offered.append(context.donors)
        return CorruptMask().apply(slot, rng, context)  # type: ignore[return-value]


def test_all_kinds_of_a_place_are_offered_the_same_donors_and_another_place_draws_its_own() -> None:
    foreign = (FOREIGN.replace("seven", word) for word in ("two", "three", "four", "five", "six", "eight"))
    memories, damager, offered = two_memories(*foreign), bench(), list[tuple[Slot, ...]]()
    for repeat in range(6):
        for name in ("corrupt_mask", "filler"):
            damager.damage(Place("b", TASK, 0, repeat), memories, CONTROL, Seeing(name, offered))
    assert offered[::2] == offered[1::2]
    assert len(set(offered)) > 3
    again = list[tuple[Slot, ...]]()
    for repeat in reversed(range(6)):  # what was drawn before changes nothing
        bench().damage(Place("b", TASK, 0, repeat), memories, CONTROL, Seeing("filler", again))
    assert again == offered[::-2]


def test_without_a_foreign_donor_the_swap_does_not_apply_and_says_why() -> None:
    alone = slots(OWN)
    alone.texts["native"].pop("s3")  # type: ignore[attr-defined]
    shown, row = bench().damage(Place("b", TASK, 0, 0), alone, CONTROL, IrrelevantSwap())
    assert shown is None
    assert not row.applicable
    assert row.reason


def test_an_empty_slot_stays_in_and_is_exempt_from_the_check() -> None:
    shown, row = bench().damage(Place("b", TASK, 0, 0), slots(), CONTROL, CorruptMask())
    assert shown == Slot()
    assert not row.applicable
    assert "empty" in row.reason


def test_the_same_trial_gets_the_same_damage_and_another_repeat_another() -> None:
    def text(repeat: int) -> str:
        shown, _ = bench().damage(Place("b", TASK, 0, repeat), slots(OWN), CONTROL, CorruptMask(dose=0.5))
        assert shown is not None
        return shown.text

    assert text(0) == text(0)
    assert len({text(repeat) for repeat in range(5)}) > 1


def two_memories(*foreign: str) -> ArmSlots:
    """The same items in the control's memory and the treatment's, which are banks of their own."""
    made = slots(OWN)
    more = {f"f{number}": (text,) for number, text in enumerate(foreign)}
    texts = {**made.texts[CONTROL.memory], **more}
    families = {**made.families, **dict.fromkeys(more, "kitchen")}
    shown = {(arm.memory, "t1"): made.shown["native", "t1"] for arm in (CONTROL, ARTIFACT)}
    digests = {CONTROL.memory: "d", ARTIFACT.memory: "e"}
    return ArmSlots(digests, shown, made.shadow, families, dict.fromkeys(digests, texts))


@pytest.mark.parametrize("kind", [CorruptMask(dose=0.5), IrrelevantSwap()], ids=lambda kind: kind.name)
def test_neither_the_damage_nor_the_donor_depends_on_the_arm_or_its_memory(kind: Perturbation) -> None:
    assert CONTROL.memory != ARTIFACT.memory
    foreign = (FOREIGN.replace("seven", word) for word in ("two", "three", "four", "five", "six", "eight"))
    memories, seen = two_memories(*foreign), set()
    for repeat in range(8):
        place = Place("b", TASK, 0, repeat)
        one, other, elsewhere = (
            bench().damage(at, memories, arm, kind)[0]
            for at, arm in ((place, CONTROL), (place, ARTIFACT), (replace(place, backbone="c"), ARTIFACT))
        )
        assert one is not None
        assert one == other == elsewhere
        seen.add(one.text)
    assert len(seen) > 2  # another repeat draws anew


def test_a_shipped_kind_whose_text_fails_its_check_does_not_apply_to_that_slot() -> None:
    class Clumsy(CorruptMask):
        def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged:
            return Damaged(Slot(slot.cue, tuple(item + " and more and more" for item in slot.items)))

    shown, row = bench().damage(Place("b", TASK, 0, 0), slots(OWN), CONTROL, Clumsy())
    assert (shown, row.applicable) == (None, False)
    assert row.reason.startswith("what the rules make of it fails the check: ")
    assert not failed_of([row])
