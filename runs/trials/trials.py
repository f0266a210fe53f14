"""The trials of a block: what each shows, and the key of all that determines it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from memtrial.agents.slot import NOTHING, Slot
from memtrial.arms.arm import NONE, PREPEND, WITHHOLD, Arm
from memtrial.ledger.rows import CheckRow
from memtrial.memory.record_text import without_number
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.perturbations.counter import Counter
from memtrial.protocols import World
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot
from memtrial.runs.setup.design import Design
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.adherence import ToldAction, find_told_actions
from memtrial.runs.trials.advised_acts import find_other_actions
from memtrial.runs.trials.slot_damage import Damager, Place
from memtrial.worlds.world import Task, WorldFault

NO_MEMORY = Arm(NONE, NONE, PREPEND)
OWN_DRAWS = 1000
"""Above every repeat that a spec can ask for."""
MOST_TOLD = 2048
"""Memories of an arm whose told actions are kept: its blocks of other repeats and backbones tell the same."""
Damages = Sequence[tuple[Slot | None, CheckRow]]
"""The damaged slots of a block by arm and kind, None where a kind does not apply; and their checks."""
Told = tuple[ToldAction, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode that will be played; `key` is the sha256 of all that determines it.

    `shown` is the slot that is meant for the prompt, `intact` the arm's memory before any damage: firing is
    decided on it, and `told_actions` are what it tells, `other_actions` what `counter` tells in their place
    in the same block. Trials of a block with the same `prompts` would send the same requests: one of them is
    played. `path` solves the task, where the world says so at once.
    """

    key: str
    backbone: str
    arm: Arm
    condition: str
    task: Task
    repeat: int
    shown: Slot
    intact: IntactSlot
    told_actions: tuple[ToldAction, ...] = ()
    other_actions: tuple[ToldAction, ...] = ()
    prompts: str = ""
    path: tuple[str, ...] = ()

    @property
    def draw(self) -> int:
        """The number under which a model is asked. Trials of one number share the answers to equal requests;
        a withheld memory is held against `none`, whose requests are the same, by draws of its own."""
        return self.repeat + (OWN_DRAWS if self.arm.injection == WITHHOLD else 0)

    @property
    def items(self) -> dict[str, str]:
        """The items of an intact slot that is shown, by the sha256 of each text less its number."""
        texts = (without_number(item) for item in self.shown.items if self.condition == INTACT)
        return {sha256(text.encode()).hexdigest(): text for text in texts if text.strip()}

    @property
    def empty_slot(self) -> bool:
        """The arm has memory, but this task's records hold no item, or blank replies."""
        return self.arm.name != NONE and self.intact.slot.blank


@dataclass(frozen=True, slots=True)
class Block:
    """All trials of one backbone × task × repeat, in the order of playing."""

    backbone: str
    task: Task
    repeat: int
    trials: tuple[Trial, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its trials, in the order of playing."""
        return tuple(trial.key for trial in self.trials)

    @property
    def texts(self) -> dict[str, str]:
        """By their digests: texts that its trials show, those these were made of, and their items."""
        slots = (slot for trial in self.trials for slot in (trial.shown, trial.intact.slot))
        texts = {slot.digest: slot.text for slot in slots}
        return texts | dict(item for trial in self.trials for item in trial.items.items())


@dataclass
class TrialLayout:
    """Lays the trials of a block out; `agent_digests` are those of the agent who will play them.

    What the world says of a task is asked once, so that blocks can be laid out once it is closed.
    """

    spec: Spec
    design: Design
    world: World
    damager: Damager
    agent_digests: tuple[str, ...]
    _paths: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _told: dict[tuple[int, str, str], tuple[ArmSlots, Told]] = field(default_factory=dict)
    _stated: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        sampled = sampling_of(self.spec.sampling.agent, "agent")._asdict()
        stated = {"world": self.world.digest, **sampled, "prompts": self.agent_digests}
        self._stated = {name: json.dumps(value, sort_keys=True) for name, value in stated.items()}

    def block(self, place: Place, slots: ArmSlots) -> tuple["Block", tuple[CheckRow, ...]]:
        """One block in the order of its cells, and its manipulation checks."""
        damages = self.damage(place, slots)
        damaged = tuple(slot for slot, _ in damages)
        return self.lay(place, slots, damaged), tuple(check for _, check in damages)

    def damage(self, place: Place, slots: ArmSlots) -> Damages:
        """The damaged slots of one block, in the order of arms and of their kinds, each with its check."""
        return tuple(
            self.damager.damage(place, slots, arm, kind)
            for arm in self.design.arms
            for kind in self.design.damages[arm.name]
        )

    def lay(self, place: Place, slots: ArmSlots, damaged_slots: Sequence[Slot | None]) -> "Block":
        """One block in the order of its cells, whose damage was done: by arm and kind, None where a kind does
        not apply."""
        task, path = place.task, self.path_of(place.task)
        shadow = slots.shadow[task.id]
        trials = self._trials(place, NO_MEMORY, IntactSlot(NOTHING, shadow, ()), [(WITHOUT, NOTHING)])
        damaged = iter(damaged_slots)
        for arm in self.design.arms:
            intact = slots.of(arm, task)
            shown = NOTHING if arm.injection == WITHHOLD else intact.slot
            # where nothing enters by Trigger, the theory items of the same records are watched for the log
            # alone; an arm that injects by Trigger goes by its own items, even when none of them can come up
            if not intact.watched and not arm.injection.by_trigger:
                intact = replace(intact, watched=shadow, foreign=True)
            cells = [(INTACT, shown)]
            for kind in self.design.damages[arm.name]:
                slot = next(damaged)
                cells += [] if slot is None else [(kind.name, slot)]
            told_actions = self._tell(arm, slots, task)
            countered = dict(cells).get(Counter().name)
            others = find_other_actions(told_actions, countered, self.damager.known)
            trials += self._trials(place, arm, intact, cells, told_actions, others, path)
        return Block(place.backbone, task, place.repeat, tuple(trials))

    def path_of(self, task: Task) -> tuple[str, ...]:
        """The world's own solution; none where it would have to be waited for, or is not known."""
        if task.id not in self._paths:
            self._paths[task.id] = () if self.world.blocking else _solve(self.world, task)
        return self._paths[task.id]

    def _tell(self, arm: Arm, slots: ArmSlots, task: Task) -> Told:
        """What an arm's memory tells in a task."""
        key = (id(slots), arm.name, task.id)
        if key not in self._told:
            if len(self._told) >= MOST_TOLD:
                del self._told[next(iter(self._told))]
            # with the slots, whose number nothing else can have while they are kept
            self._told[key] = slots, find_told_actions(arm, slots, task, self.damager.known)
        return self._told[key][1]

    def _trials(
        self,
        place: Place,
        arm: Arm,
        intact: IntactSlot,
        cells: Sequence[tuple[str, Slot]],
        told_actions: Told = (),
        others: Told = (),
        path: tuple[str, ...] = (),
    ) -> list[Trial]:
        """The trials of one arm, by the conditions and slots that they show."""
        watched = [
            [
                watched_item.item,
                watched_item.trigger.text,
                watched_item.check.text if watched_item.check else "",
            ]
            for watched_item in intact.watched
        ]
        of_arm = {
            "task": place.task.id,
            "backbone": place.backbone,
            "repeat": place.repeat,
            "injection": arm.injection.name,
            "watched": watched,
        }
        same = self._stated | {name: json.dumps(value) for name, value in of_arm.items()}
        trials = []
        for condition, shown in cells:
            digest = json.dumps(shown.digest)
            key = _digest(
                same | {"shown": digest, "arm": json.dumps(arm.name), "condition": json.dumps(condition)}
            )
            prompts = _digest(same | {"shown": digest, "arm": '""', "condition": '""'})
            place_of = (place.backbone, arm, condition, place.task, place.repeat)
            trials.append(Trial(key, *place_of, shown, intact, told_actions, others, prompts, path))
        return trials


def _solve(world: World, task: Task) -> tuple[str, ...]:
    try:
        return world.ground_truth(task).path
    except WorldFault:
        return ()


def _digest(determined_by: Mapping[str, str]) -> str:
    """Sha256 of a JSON object whose keys are sorted; the values are JSON already."""
    entries = ", ".join(f'"{name}": {determined_by[name]}' for name in sorted(determined_by))
    return sha256(f"{{{entries}}}".encode()).hexdigest()


def n_to_damage(spec: Spec, n_tasks: int, arm_slots: Mapping[str, tuple[ArmSlots, ...]]) -> int:
    """Blocks whose memories have to be damaged: those of backbones with the same memories count once."""
    drawn = {
        (*memories_of(slots[repeat % len(slots)]), repeat)
        for slots in arm_slots.values()
        for repeat in range(spec.repeats)
    }
    return n_tasks * len(drawn)


def memories_of(slots: ArmSlots) -> tuple[object, ...]:
    """What tells the memories of two backbones apart."""
    return tuple(sorted(slots.digests.items()))


def interleave(block: Block, order: Sequence[int]) -> Block:
    """The trials of a block in this order."""
    return replace(block, trials=tuple(block.trials[position] for position in order))
