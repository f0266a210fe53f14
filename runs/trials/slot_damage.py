"""Damage every slot that will be damaged, those of whole banks too, and check it, before the first trial."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from memtrial.agents.slot import NOTHING, Slot
from memtrial.arms.arm import Arm
from memtrial.faults import RunFault
from memtrial.ledger.random_streams import named_generator
from memtrial.ledger.rows import CheckRow
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.composite import JOINT
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.language.fluency import Fluency
from memtrial.perturbations.manipulation_check import ManipulationCheck
from memtrial.perturbations.written.draft_book import DraftBook
from memtrial.plugins.adapters import OwnPerturbation
from memtrial.protocols import Perturbation, World
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot
from memtrial.runs.setup.design import Design
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.foreign_slots import draw_donors
from memtrial.runs.trials.joined_measures import join_measures
from memtrial.runs.trials.stored_damage import (
    NO_STORE,
    NOT_HONOURED,
    OF_ANOTHER_NUMBER,
    StoreBook,
    strip_reading,
)
from memtrial.worlds.world import Task

MANY_FAMILIES = 6
MOST_DONE = 8192
"""Damage that is kept for other arms and backbones; those are laid out soon after."""
STEPS = 4
"""Of a walk that looks for actions: a panel may come alight only after some waiting."""
_FORM = re.compile(r"^[^\S\n]*+[-*] (?P<form>[a-z][a-z0-9 ]*+(?:[A-Z]{2}[a-zA-Z0-9 ]*+)?+)$", re.MULTILINE)
DamageRecord = tuple[Slot | None, dict[str, object], bool, str]
"""The slot, None where the kind does not apply; what the check measured; whether there was one; and why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A block's place in the run. `index` is the task's place among the tasks."""

    backbone: str
    task: Task
    index: int
    repeat: int


def failed_of(checks: Iterable[CheckRow]) -> list[CheckRow]:
    """Those of a kind that applied, and whose check failed: the damage was not done."""
    return [row for row in checks if row.applicable and not row.passed]


def refuse_failed(failed: Sequence[CheckRow], n_checks: int) -> None:
    """No trial is played on damage that was not done: RunFault where some of so many checks failed."""
    if failed:
        row = failed[0]
        raise RunFault(
            f"the manipulation check of {row.condition!r} failed for arm {row.arm!r}, task {row.task}: "
            f"{row.reason}; {len(failed)} of {n_checks} checks failed and no trial was played"
        )


@dataclass
class Damager:
    """Damages slots; the same intact slot, task and repeat give the same damage, whatever the arm.

    `known` is what the world accepts; `counter` puts one of its actions for another. `drafts` are what a
    model wrote beforehand, which is shown in the place of the rules' texts, `stored` what memory stores gave
    once it was put into them; None: what would be put in.
    """

    spec: Spec
    known: Repertoire = NOTHING_KNOWN
    drafts: DraftBook = DraftBook()
    stored: StoreBook | None = None
    _checked: dict[tuple[str, Slot, Slot], tuple[ManipulationCheck, dict[str, object]]] = field(
        default_factory=dict
    )
    _done: dict[tuple[object, ...], DamageRecord] = field(default_factory=dict)
    _offered: dict[tuple[object, ...], tuple[Slot, ...]] = field(default_factory=dict)
    _fluency: dict[tuple[str, ...], Fluency] = field(default_factory=dict)
    _bits: dict[tuple[tuple[str, ...], Slot, Slot], tuple[float, float] | None] = field(default_factory=dict)

    def damage(
        self, place: Place, slots: ArmSlots, arm: Arm, kind: Perturbation
    ) -> tuple[Slot | None, CheckRow]:
        """What one trial shows, None where the kind does not apply and it is not played; and its check."""
        whole = slots.of(arm, place.task)
        intact = whole.slot
        damaged = self._whole if whole.parts else self._damage_once
        slot, measured, applicable, reason = damaged(place, slots, arm, kind, whole)
        after = slot.digest if slot is not None else ""
        at = (place.backbone, arm.name, kind.name, place.task.id, place.repeat)
        passed = bool(measured.get("passed", False))
        return slot, CheckRow(*at, applicable, passed, reason, intact.digest, after, measured)

    def trim(self, most: int = MOST_DONE) -> None:
        """Let go of what was done long ago: whoever lays blocks out keeps what they show."""
        for kept in (self._done, self._checked, self._bits):
            while len(kept) > most:
                del kept[next(iter(kept))]  # type: ignore[arg-type]

    def of_record(
        self, task: Task, slots: ArmSlots, arm: Arm, kind: Perturbation, number: int
    ) -> DamageRecord:
        """The damage of one record of a bank that is in reach, by its place among the records.

        Drawn once for the bank, for any episode may show any of it. Only donors differ between tasks: none is
        of the task's family, and where there are many families, of any in the task's half of them.
        """
        part = tuple(slots.records[arm.memory].values())[number]
        return self._damage_once(Place("", task, number, 0), slots, arm, kind, part)

    def _whole(
        self, place: Place, slots: ArmSlots, arm: Arm, kind: Perturbation, whole: IntactSlot
    ) -> DamageRecord:
        """The damaged records that are in reach, as one slot; each was checked by itself."""
        task, digest = place.task, slots.digests.get(arm.memory)
        key = (kind.name, arm.memory, digest, *self._apart(task, slots, arm), whole.slot)
        if key not in self._done:
            numbers = {part.sources: number for number, part in enumerate(slots.records[arm.memory].values())}
            done = [self.of_record(task, slots, arm, kind, numbers[part.sources]) for part in whole.parts]
            made = [slot for slot, *_ in done if slot is not None]
            items = tuple(item for slot in made for item in slot.items)
            measured = join_measures([one for _, one, *_ in done])
            why = next((why for _, one, _, why in done if not one.get("passed")), "")
            self._done[key] = Slot(made[0].cue, items), measured, True, why
        return self._done[key]

    def _apart(self, task: Task, slots: ArmSlots, arm: Arm) -> tuple[tuple[str, ...], str]:
        """What of a task the donors of records in reach depend on: families that give none, and a source."""
        families = sorted({*slots.families.values()} - {""})
        # halves, not families: a bank is damaged twice, and not once for each family
        half = families[families.index(task.family) % 2 :: 2] if task.family else []
        apart = half if len(families) >= MANY_FAMILIES else [task.family]
        return tuple(apart), task.id if task.id in slots.texts[arm.memory] else ""

    def _damage_once(
        self, place: Place, slots: ArmSlots, arm: Arm, kind: Perturbation, shown: IntactSlot
    ) -> DamageRecord:
        """The damage of one slot, done once."""
        of_task = self._apart(place.task, slots, arm) if arm.reach == "bank" else ()
        digest = slots.digests.get(arm.memory)
        spot = (arm.memory, digest, shown.slot, place.index, place.repeat, *of_task)
        key = (kind.name, *spot)
        if key not in self._done:
            if spot not in self._offered:  # the kinds of a place come one after the other, and draw the same
                apart = {place.task.family, *(of_task[0] if of_task else ())}
                rng = named_generator(self.spec.seed, "donor", place.index, place.repeat)
                texts = slots.texts[arm.memory]
                self._offered = {spot: draw_donors(rng, place.task.id, texts, slots.families, apart, shown)}
            self._done[key] = self._damage(place, slots, arm, kind, shown, self._offered[spot])
        return self._done[key]

    def _damage(
        self,
        place: Place,
        slots: ArmSlots,
        arm: Arm,
        kind: Perturbation,
        shown: IntactSlot,
        donors: tuple[Slot, ...],
    ) -> DamageRecord:
        if shown.slot.blank:
            # intention to treat: the record stays in, counts as without, and there is nothing to check
            # a memory system has no records
            why = "all items of its record were dropped" if shown.sources else "nothing was there"
            why = "the reply is blank" if shown.slot.items else why
            return shown.slot, {}, False, f"the slot is empty: {why}"

        drafts = self.drafts
        context = DamageContext(donors, self.known, drafts.texts, drafts.refusals)
        name = kind.aim.declared.part or kind.name
        drawn = kind.aim.declared.draws_as or name
        rng, source = named_generator(self.spec.seed, drawn, place.index, place.repeat), shown.source
        done = context.find_written(kind.name, source) or kind.apply(source, rng, context)
        if isinstance(done, NotApplicable):
            return None, {}, False, done.reason
        book = self.stored or NO_STORE
        reading = book.find(place.backbone, arm.memory, place.task, done.slot)
        after = done.slot
        if reading is not None:
            after = Slot(done.slot.cue, reading.items)
            done = Damaged(Slot(after.cue, strip_reading(reading, shown.slot, source)), done.before)
        before = done.before or source
        pair = (name, before, done.slot)
        if pair not in self._checked:  # repeats often give the same damage
            verdict = drafts.check(kind, source, done, self.known)
            self._checked[pair] = verdict, {**verdict.to_json(), **drafts.source_of(name, before)}
        verdict, figures = self._checked[pair]
        if reading is not None and reading.how and not verdict.passed:
            return None, {}, False, f"{NOT_HONOURED} ({reading.how}): {verdict.reason}"
        if not verdict.passed and verdict.words_changed and not isinstance(kind, OwnPerturbation):
            # text that a person would not accept is not shown; a kind that does nothing stops the run
            return None, {}, False, f"what the rules make of it fails the check: {verdict.reason}"
        if self.stored is not None and shown.held and after.items and reading is None:
            return None, {}, False, OF_ANOTHER_NUMBER
        measured = figures | ({} if reading is None else {"in_store": reading.how})
        # each repeat draws the same kinds: the first one tells how oddly they read
        bits = self._read(slots, before, done.slot) if place.repeat == 0 else None
        if bits is not None:
            measured["intact_bits"] = round(bits[0], 4)
            measured["fluency_distance"] = round(bits[1] - bits[0], 4)
        if kind.aim.declared.part:
            measured["between"] = before.digest  # what the second part was done to
        return after, measured, True, verdict.reason

    def _read(self, slots: ArmSlots, before: Slot, after: Slot) -> tuple[float, float] | None:
        """How oddly both texts read, in bits a word, learnt from the texts of all memories of this draw."""
        drawn = tuple(sorted(slots.digests.values()))
        place = (drawn, before, after)
        if place not in self._bits:
            if drawn not in self._fluency:
                self._fluency[drawn] = Fluency(slots.by_source())
            self._bits[place] = self._fluency[drawn].read(before.items, after.items)
        return self._bits[place]


def known_to(design: Design, world: World, tasks: tuple[Task, ...]) -> Repertoire:
    """What the world accepts, where the design asks for it; it may be slow to say, or raise WorldFault."""
    asked = any(Counter().name in name.split(JOINT) for name in design.conditions)
    return repertoire_of(world, tasks) if asked else NOTHING_KNOWN


def repertoire_of(world: World, tasks: tuple[Task, ...]) -> Repertoire:
    """What the world accepts; nothing known where it lists no actions and its rules no forms.

    A task of each template is begun, and the first action that the world lists is done a few times; only the
    lists are used. A world that lists none in the first task is taken to list none anywhere.
    """
    forms = tuple(dict.fromkeys(match["form"].strip() for match in _FORM.finditer(world.rules)))
    lists: dict[tuple[str, ...], None] = {}
    for task in {task.template: task for task in reversed(tasks)}.values():
        state = world.reset(task)
        if state.actions is None:
            break
        for _ in range(STEPS):
            if not state.actions:
                break
            lists[state.actions] = None
            if state.done:
                break
            state = world.step(state.actions[0])
    return Repertoire(tuple(lists), forms)


def in_reach(
    spec: Spec, design: Design, tasks: tuple[Task, ...], slots: ArmSlots, damager: Damager
) -> ArmSlots:
    """The slots with those of whole banks: for each task all records but those that retrieval leaves out.

    A record to which one of the arm's kinds of damage cannot be done is in reach of no cell, so that what can
    come up is the same in all of them.
    """
    made: dict[tuple[str, tuple[str, ...]], IntactSlot] = {}
    bank: dict[tuple[str, str], IntactSlot] = {}
    for arm in (arm for arm in design.arms if arm.reach == "bank"):
        for task in tasks:
            parts = _parts(spec, design, arm, task, slots, damager)
            near = [one for one in slots.shown[arm.memory, task.id].sources if (one,) in parts]
            sources = tuple(dict.fromkeys((*near, *(source for (source,) in parts))))
            key = arm.memory, sources
            if key not in made:
                made[key] = _join_parts(tuple(parts.values()), sources)
            bank[arm.memory, task.id] = made[key]
    return replace(slots, bank=bank)


def _parts(
    spec: Spec, design: Design, arm: Arm, task: Task, slots: ArmSlots, damager: Damager
) -> dict[tuple[str, ...], IntactSlot]:
    """The records in reach, by their sources."""
    return {
        part.sources: part
        for number, part in slots.in_bank(arm.memory, task, spec.retrieval.leave_out)
        if all(
            damager.of_record(task, slots, arm, kind, number)[0] is not None
            for kind in design.damages[arm.name]
        )
    }


def _join_parts(parts: tuple[IntactSlot, ...], sources: tuple[str, ...]) -> IntactSlot:
    """Many records as one slot; an item's place in it is its identity in the log of firings."""
    items: list[str] = []
    watched = []
    for part in parts:
        watched += [replace(one, item=one.item + len(items)) for one in part.watched]
        items += part.slot.items
    slot = Slot(parts[0].slot.cue, tuple(items)) if parts else NOTHING
    return IntactSlot(slot, tuple(watched), sources, parts=parts)
