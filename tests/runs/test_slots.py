"""The shelf: the same records for every arm, items one by one where asked, and memory systems as they are."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from memtrial.agents.slot import NOTHING, Slot
from memtrial.arms.arm import INJECTIONS, OF_THE_WORLD, ORACLE, PREPEND, Arm, InjectionKind
from memtrial.memory.bank_store import BankStore
from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.memory.record_bank import Bank, Record
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.perturbations.irrelevant.irrelevant_swap import IrrelevantSwap
from memtrial.prompts.templates import cue_line
from memtrial.protocols import Embedder
from memtrial.runs.preparation.arm_slots import ArmSlots, Memories, fill_slots
from memtrial.runs.preparation.world_memories import state_memories
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.slot_damage import Damager, Place
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Task

SYSTEM = "my/system.py:Memory"
TASKS = (
    Task("t1", "find the first order of soap", "orders", "", "test"),
    Task("t2", "boil water in the kitchen", "cooking", "", "test"),
    Task("s2", "find the last order of tea", "orders", "", "test"),
)
SOURCES = {
    "s1": ("find the first order of soap and tea", "orders"),
    "s2": ("find the last order of tea", "orders"),
    "s3": ("boil water in the pot", "cooking"),
    "s4": ("sort the order of books", "books"),
    "s5": ("paint the fence", "paint"),
}


def native(said: str) -> NativeItem:
    return NativeItem(said, f"On {said}.", f"Do {said}.")


def theory(said: str) -> TheoryItem:
    return TheoryItem(f"In a shop, do {said}", f'task: "{said}"', "It is so.", "Shops.", "heuristic")


def bank(name: str, make: Any, items: dict[str, tuple[str, ...]]) -> Bank:
    records = (
        Record(source, query, family, "", tuple(map(make, items.get(source, ()))), f"tr-{source}", "success")
        for source, (query, family) in SOURCES.items()
    )
    return Bank(name, tuple(records))


BANKS = {
    "native": bank(
        "native",
        native,
        {
            "s1": ("look at tea", "find the first order of soap"),
            "s2": ("find order", "sleep"),
            "s3": ("boil water in the kitchen", "boil water"),
            "s4": ("order of soap", "find the first order"),
            "s5": ("paint", "fence", "soap"),
        },
    ),
    "theory": bank("theory", theory, {"s1": ("first order of soap",), "s4": ("wait",), "s5": ("paint",)}),
}


def spec(**retrieval: Any) -> Spec:
    return Spec.model_validate(
        {
            "environment": {"world": "workshop"},
            "backbone": "simulated/reader",
            "arms": ["control"],
            "retrieval": retrieval,
        }
    )


def stores(embedder: Embedder = HashingEmbedder()) -> dict[str, BankStore]:
    return {name: BankStore(embedder, bank, "task") for name, bank in BANKS.items()}


def filled(recalled: dict[str, dict[str, Slot]] | None = None, **retrieval: Any) -> ArmSlots:
    return asyncio.run(fill_slots(spec(**retrieval), TASKS, Memories(stores(), recalled=recalled or {})))


def body(text: str) -> str:
    return text.partition("\n")[2]


def titles(slots: ArmSlots, memory: str, task: str) -> list[str]:
    texts = slots.shown[memory, task].slot.items
    for number, text in enumerate(texts, 1):
        assert text.startswith(f"# Memory Item {number}\n")
    mark = "## Title " if memory == "native" else "In a shop, do "
    return [text.split(mark)[1].split("\n")[0] for text in texts]


@pytest.mark.parametrize("retrieval", [{}, {"k": 2}, {"profile": "paper"}, {"unit": "item", "k": 1}], ids=str)
def test_every_arm_shows_items_of_the_same_records_and_never_of_its_own_task(retrieval: Any) -> None:
    slots = filled(**retrieval)
    k = spec(**retrieval).retrieval.k
    for task in TASKS:
        sources = slots.shown["native", task.id].sources
        assert sources == slots.shown["theory", task.id].sources
        assert len(sources) == k
        assert task.id not in sources
        for name, one in BANKS.items():
            pool = [item for record in one.records if record.task_id in sources for item in record.items]
            texts = slots.shown[name, task.id].slot.items
            assert {body(text) for text in texts} <= {body(render(item)) for item in pool}
            by_item = spec(**retrieval).retrieval.unit == "item"
            assert len(texts) == (min(k, len(pool)) if by_item else len(pool))


def test_how_near_the_nearest_record_is_is_the_same_for_every_arm() -> None:
    slots = filled(k=3)
    query, source = HashingEmbedder().vectors([TASKS[0].query, SOURCES["s1"][0]])
    for name in BANKS:
        assert slots.shown[name, "t1"].similarity == pytest.approx(float(query @ source), abs=1e-6)
    system = filled(recalled=recalled()).shown[SYSTEM, "t1"]
    assert system.similarity is None  # nothing was searched


def test_a_record_is_shown_whole_and_in_its_own_order() -> None:
    slots = filled()
    assert slots.shown["native", "t1"].sources == ("s1",)
    assert titles(slots, "native", "t1") == ["look at tea", "find the first order of soap"]
    assert titles(slots, "native", "t2") == ["boil water in the kitchen", "boil water"]
    assert slots.shown["theory", "t2"].slot == NOTHING


def test_the_profile_of_the_paper_shows_the_three_nearest_items_of_the_three_nearest_records() -> None:
    slots = filled(profile="paper")
    assert slots.shown["native", "t1"].sources == ("s1", "s2", "s4")
    assert titles(slots, "native", "t1") == [
        "find the first order of soap",
        "find the first order",
        "order of soap",
    ]
    assert titles(slots, "theory", "t1") == ["first order of soap", "wait"]
    assert titles(slots, "native", "t2")[:2] == ["boil water in the kitchen", "boil water"]


def test_what_is_watched_is_what_is_shown_in_the_order_shown() -> None:
    slots = filled(profile="paper")
    shown = slots.shown["theory", "t1"]
    assert [one.item for one in shown.watched] == [0, 1]
    assert "first order of soap" in shown.watched[0].trigger.text
    assert slots.shadow["t1"] == shown.watched


@pytest.mark.parametrize("kind", INJECTIONS, ids=lambda kind: kind.name)
def test_an_injection_watches_what_it_says(kind: InjectionKind) -> None:
    slots = filled(profile="paper")
    shown = slots.of(Arm("theirs", "theory", kind), TASKS[0])
    triggers = slots.shown["theory", "t1"].watched
    assert shown.watched == (triggers if kind.watch is None else kind.watch(shown.slot.items))
    assert (shown.watched == triggers) is (kind.watch is None)


def test_headings_and_numbers_are_no_part_of_what_is_compared() -> None:
    counted = Counting()
    asyncio.run(fill_slots(spec(profile="paper"), TASKS, Memories(stores(counted))))
    asked = [text for texts in counted.asked for text in texts]
    assert "find order\nOn find order.\nDo find order." in asked
    assert not any("#" in text for text in asked)


@dataclass
class Counting:
    """The default, counting how often it is asked."""

    space: str = "counted"
    asked: list[list[str]] = field(default_factory=list)

    async def embed(self, texts: Any) -> Any:
        self.asked.append(list(texts))
        return HashingEmbedder().vectors(texts)


@pytest.mark.parametrize(("retrieval", "times"), [({"k": 3}, 2), ({"profile": "paper"}, 4)])
def test_the_embedder_is_asked_for_all_texts_of_a_kind_at_once(retrieval: Any, times: int) -> None:
    counted = Counting()
    tasks = tuple(Task(f"n{i}", f"find order {i}", "x", "", "test") for i in range(40))
    asyncio.run(fill_slots(spec(**retrieval), tasks, Memories(stores(counted))))
    assert len(counted.asked) == times
    assert counted.asked[1] == [task.query for task in tasks]


def test_one_cue_for_every_arm_but_the_memory_systems() -> None:
    world = Workshop(0, 24, 8)
    tasks = world.tasks("test")
    slots = {SYSTEM: {task.id: Slot("Mine.", (f"note on {task.id}",)) for task in tasks}}
    stated = state_memories(world, tasks, frozenset(OF_THE_WORLD), "Discuss each.", seed=0)
    slots = asyncio.run(fill_slots(spec(), tasks, Memories(stores(), stated, slots), cue="Discuss each."))
    assert {memory for memory, _ in slots.shown} == {*OF_THE_WORLD, *BANKS, SYSTEM}
    for (memory, _), shown in slots.shown.items():
        if shown.slot.items:
            assert shown.slot.cue == ("Mine." if memory == SYSTEM else "Discuss each.")
    assert slots.shown[ORACLE, tasks[0].id].slot.items == (world.ground_truth(tasks[0]).lesson,)
    assert filled().shown["native", "t1"].slot.cue == cue_line()


def recalled(**texts: str) -> dict[str, dict[str, Slot]]:
    listed = {"t1": "turn the lever", "t2": "bake for seven minutes", "s2": "push the pedal"} | texts
    return {SYSTEM: {task: Slot("Mine.", (text,) if text else ()) for task, text in listed.items()}}


def test_a_memory_system_is_shown_as_it_recalled() -> None:
    slots = filled(recalled(s2=""))
    assert slots.shown[SYSTEM, "t1"].slot == Slot("Mine.", ("turn the lever",))
    assert slots.shown[SYSTEM, "t1"].watched == ()
    assert slots.shown[SYSTEM, "s2"].slot == NOTHING  # a cue above nothing would be a block
    assert slots.texts[SYSTEM] == {"t1": ("turn the lever",), "t2": ("bake for seven minutes",), "s2": ()}
    assert slots.digests.keys() == {"native", "theory", SYSTEM}


def test_the_digest_of_a_memory_system_is_that_of_its_slots() -> None:
    base = filled(recalled()).digests[SYSTEM]
    assert filled(recalled()).digests[SYSTEM] == base
    turned = {SYSTEM: dict(reversed(recalled()[SYSTEM].items()))}
    assert filled(turned).digests[SYSTEM] == base
    swapped = recalled(t1="bake for seven minutes", t2="turn the lever")
    other = {SYSTEM: {task: Slot("Ours.", slot.items) for task, slot in recalled()[SYSTEM].items()}}
    assert (
        len(
            {base, *(filled(one).digests[SYSTEM] for one in (swapped, other, recalled(t1="turn the levers")))}
        )
        == 4
    )


def test_the_donor_of_a_memory_system_was_recalled_for_another_family() -> None:
    arm = Arm("mine", SYSTEM, PREPEND)
    own = "Turn the brass lever when the belt sags."
    listed = recalled(
        t1=own,
        s2="Push the walnut pedal while it is wound.",
        t2="Open all seven vents, then bake the bread.",
    )
    slots = filled(listed)
    for repeat in range(6):
        shown, row = Damager(spec()).damage(Place("b", TASKS[0], 0, repeat), slots, arm, IrrelevantSwap())
        assert shown is not None, row.reason
        assert row.passed
        assert "lever" not in shown.text
        assert "walnut" not in shown.text


def test_without_records_every_slot_is_empty() -> None:
    empty = {"native": BankStore(HashingEmbedder(), Bank("native", ()), "task")}
    slots = asyncio.run(fill_slots(spec(k=3), TASKS, Memories(empty)))
    assert all(shown.slot == NOTHING for shown in slots.shown.values())
    assert len(slots.shown) == 3
