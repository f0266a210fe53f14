"""Memories that the world states, without a condenser: its lesson, a true rule as an item, and doses."""

from collections.abc import Iterable, Mapping, Sequence

from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.arms.arm import DOSES, OF_THE_WORLD, ORACLE, PLANTED_NATIVE, PLANTED_THEORY, Arm
from memtrial.arms.trigger_watch import watch
from memtrial.faults import SpecFault
from memtrial.ledger.random_streams import Stream, generator
from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.memory.trigger import TriggerFault, compile_trigger
from memtrial.protocols import World
from memtrial.runs.preparation.arm_slots import IntactSlot, WorldMemories
from memtrial.worlds.world import Proposition, Task


def as_native(rule: Proposition) -> NativeItem:
    """The proposition in the control's schema."""
    return NativeItem(
        title=_sentence(rule.situation),
        description=f"A heuristic for this {rule.where} that {_range(rule, 'applies', 'does not apply')}",
        content=f"When {rule.situation}, {rule.action}, because then {rule.why}.",
    )


def as_theory(rule: Proposition) -> TheoryItem:
    """The proposition in the treatment's schema; the Trigger holds the situation's words, and their place."""
    return TheoryItem(
        claim=f"When {rule.situation}, {rule.action}.",
        trigger=f"{rule.where}: {rule.situation}",
        mechanism=f"Because then {rule.why}.",
        scope=_sentence(_range(rule, "applies", "does NOT apply")),
        form="heuristic",
    )


def _range(rule: Proposition, holds: str, ends: str) -> str:
    return f"{ends} when {rule.unless}." if rule.unless else f"{holds} always."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


PLACES = 3
_WORDINGS = (("When", "because then", ""), ("If", "so that", ""), ("As soon as", "since", " in that way"))


def rungs(
    true: Sequence[Proposition], foreign: Sequence[Sequence[Proposition]], rng: Generator
) -> tuple[tuple[str, ...], ...]:
    """The slots of one task, by their number of true items: 0 to PLACES.

    `true` are the rules of the task's family, `foreign` those of each other family, none empty. `rng` draws
    which rule comes first, which distractors there are, and the order of the places.
    """
    rules = [true[number] for number in rng.permutation(len(true))]
    families = [foreign[number] for number in rng.permutation(len(foreign))]
    others = [family_rules[int(rng.integers(len(family_rules)))] for family_rules in families[:PLACES]]
    truths, distractors = _word_rules(rules), _word_rules(others)
    places = rng.permutation(PLACES)
    return tuple(
        tuple(
            number_heading(truths[number] if number < dose else distractors[number], n)
            for n, number in enumerate(places, 1)
        )
        for dose in range(PLACES + 1)
    )


def donate_rules(true: Sequence[Proposition]) -> tuple[str, ...]:
    """The items that a slot of another family gets from this family: only its rules, no distractors."""
    return tuple(number_heading(text, number) for number, text in enumerate(_word_rules(true), 1))


def number_heading(text: str, number: int) -> str:
    """Prose under a numbered heading, which separates the items of a slot."""
    return f"# Memory Item {number}\n{text}"


def _word_rules(rules: Sequence[Proposition]) -> list[str]:
    """`PLACES` prose items; if there are fewer rules, they are repeated in other words."""
    sentences = []
    for number in range(PLACES):
        rule = rules[number % len(rules)]
        opening, reason, end = _WORDINGS[number // len(rules)]
        unless = f", unless {rule.unless}" if rule.unless else ""
        sentences.append(f"{opening} {rule.situation}, {rule.action}{unless}, {reason} {rule.why}{end}.")
    return sentences


Rules = Mapping[str, tuple[Proposition, ...]]
"""By task, the rules of its family, the one that it calls for first."""


def wanted_of(arms: Iterable[Arm]) -> frozenset[str]:
    """The memories of these arms that the world is to state."""
    return frozenset(arm.memory for arm in arms) & frozenset(OF_THE_WORLD)


def state_memories(
    world: World, tasks: tuple[Task, ...], wanted: frozenset[str], cue: str, seed: int
) -> dict[str, WorldMemories]:
    """What the world states, by memory, for all tasks; `wanted` is of OF_THE_WORLD."""
    made: dict[str, WorldMemories] = {}
    if ORACLE in wanted:
        lessons = {task.id: (world.ground_truth(task).lesson,) for task in tasks}
        shown = {task_id: IntactSlot(Slot(cue, items), (), (task_id,)) for task_id, items in lessons.items()}
        made[ORACLE] = WorldMemories(shown, lessons)
    rules = _rules_of(world, tasks) if wanted - {ORACLE} else {}
    if wanted & {PLANTED_NATIVE, PLANTED_THEORY}:
        made |= _plant(world, rules, cue)
    if wanted & set(DOSES):
        made |= _ladder(world, tasks, rules, cue, seed)
    return {name: made[name] for name in OF_THE_WORLD if name in wanted}


def refuse_unstated(
    world: World, tasks: tuple[Task, ...], few: tuple[Task, ...], wanted: frozenset[str]
) -> None:
    """The world states what these memories need, as far as a few tasks tell; else SpecFault, WorldFault."""
    if wanted - {ORACLE}:
        _rules_of(world, few)
    if wanted & set(DOSES):
        _refuse_one_family(world, tasks)


def _rules_of(world: World, tasks: tuple[Task, ...]) -> Rules:
    truths = {task.id: world.ground_truth(task) for task in tasks}
    rules = {
        task_id: (truth.proposition, *truth.further)
        for task_id, truth in truths.items()
        if truth.proposition is not None
    }
    lacking = [task_id for task_id in truths if task_id not in rules]
    if lacking:
        raise SpecFault(
            f"arms planted-... and dose-... need a proposition of every task; world {world.name} states none"
            f" for {len(lacking)} of {len(truths)}, first {lacking[0]!r}; leave these arms out, or state"
            " Truth(..., proposition=Proposition(...))"
        )
    return rules


def _plant(world: World, rules: Rules, cue: str) -> dict[str, WorldMemories]:
    native: dict[str, IntactSlot] = {}
    theory: dict[str, IntactSlot] = {}
    for task_id, (own, *_) in rules.items():
        item = as_theory(own)
        try:
            compile_trigger(item.trigger)
        except TriggerFault as fault:
            raise SpecFault(
                f"world {world.name}: the situation of task {task_id!r} makes no Trigger: {fault}"
            ) from fault
        watched = watch((item,))
        theory[task_id] = IntactSlot(Slot(cue, (render(item),)), watched, (task_id,))
        # the same proposition's Trigger: its shadow firings tell where the other schema's would have been
        native[task_id] = IntactSlot(Slot(cue, (render(as_native(own)),)), watched, (task_id,))
    return {
        name: WorldMemories(shown, {task_id: intact.slot.items for task_id, intact in shown.items()})
        for name, shown in ((PLANTED_NATIVE, native), (PLANTED_THEORY, theory))
    }


def _ladder(
    world: World, tasks: tuple[Task, ...], rules: Rules, cue: str, seed: int
) -> dict[str, WorldMemories]:
    _refuse_one_family(world, tasks)
    pool: dict[str, dict[Proposition, None]] = {}
    for task in tasks:
        pool.setdefault(task.family, {}).update(dict.fromkeys(rules[task.id]))
    shown: dict[str, dict[str, IntactSlot]] = {name: {} for name in DOSES}
    for index, task in enumerate(tasks):
        foreign = [tuple(rules_of) for family, rules_of in pool.items() if family != task.family]
        slots = rungs(rules[task.id], foreign, generator(seed, Stream.DISTRACTORS, index))
        for name, items in zip(DOSES, slots, strict=True):
            shown[name][task.id] = IntactSlot(Slot(cue, items), (), (task.id,))
    # a donor's distractor might be what is true here: a slot of another family gets the donor's own rules
    texts = {task.id: donate_rules(rules[task.id]) for task in tasks}
    return {name: WorldMemories(slots_of, texts) for name, slots_of in shown.items()}


def _refuse_one_family(world: World, tasks: tuple[Task, ...]) -> None:
    if len({task.family for task in tasks}) < 2:
        raise SpecFault(
            "arms dose-... take distractors of other families than the task's; world"
            f" {world.name} poses tasks of {tasks[0].family!r} alone; pose tasks of two families, or leave"
            " these arms out"
        )
