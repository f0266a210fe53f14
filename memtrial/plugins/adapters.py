"""A user's condenser, gate, perturbation and world, each behind the adapter as one of ours.

A condenser takes a trajectory and gives a text, a list of texts, or None; a gate takes an item and its
trajectory and gives yes, no or None, with or without a reason; a perturbation takes slot, rng and context and
gives a slot, the items' new texts, or why not. What a world's code raises is an error of the infrastructure,
never the agent's failure.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any

from numpy.random import Generator
from pydantic import Field

from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.condensers.condenser import MOST_ITEMS, Condensation, Dropped
from memtrial.faults import RunFault, SpecFault
from memtrial.gates.gate import Finding, evidence
from memtrial.memory.item import Item, ProseItem, TypedItem
from memtrial.memory.markdown import parse_all, render
from memtrial.memory.words import words
from memtrial.models.client.client import Caller
from memtrial.perturbations.aim import Aim, Wording
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.language.word_spans import nothing_to_damage
from memtrial.plugins.load_plugin import (
    Adapter,
    Expected,
    T,
    digest_of,
    load_adapter,
    load_object,
    make,
    name_of,
    parameters_of,
    refuse_lacking,
    refuse_unknown,
)
from memtrial.plugins.plugin_names import settings_of
from memtrial.protocols import Condenser, Gate, Perturbation, World
from memtrial.worlds.world import Outcome, Split, State, Task, Truth, WorldFault

TEXTS = Expected(list[str | tuple[str, ...] | None], "a text, a list of texts or None")


@dataclass(frozen=True, slots=True)
class OwnCondenser:
    """A user's function from a trajectory to texts, as a condenser."""

    own: Adapter
    name: str

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory. What its code raises is a fault of that condensation alone."""
        try:
            texts = await self.own.ask(f"condenser {self.name}", TEXTS, trajectory) or ()
        except RunFault as fault:
            return Condensation(trajectory.trace_id, self.name, (), faults=(str(fault),))
        listed = (texts,) if isinstance(texts, str) else texts
        items = tuple(item for text in listed for item in items_of(text))
        dropped = tuple(
            Dropped(render(item, number), f"more than {MOST_ITEMS} items")
            for number, item in enumerate(items[MOST_ITEMS:], MOST_ITEMS + 1)
        )
        return Condensation(trajectory.trace_id, self.name, items[:MOST_ITEMS], dropped=dropped)


def load_condenser(source: str, caller: Caller, seed: int, name: str | None = None) -> Condenser:
    """The condenser that `path/to/module.py:Object` names, under its own name unless the spec gives one."""
    own = load_adapter(source, caller, seed, "a condenser", ("__call__",))
    return OwnCondenser(own, name or name_of(own.thing, source))


def items_of(text: str) -> tuple[Item, ...]:
    """A text as items: those of a schema where it is nothing but such items, else prose; none of a blank."""
    if not text.strip():
        return ()
    items = parse_all(text)
    # a reading that loses a word of the text would store another memory than the one that was made
    lost = Counter(words(text)) - Counter(words("\n".join(render(item, 1) for item in items)))
    # the number of an item is no word of it
    return items if items and all(word.isdigit() for word in lost) else (ProseItem(text),)


ANSWER = Expected(
    list[bool | tuple[bool | None, str] | None],
    "True, False or None, or one of these with a reason,",
)


@dataclass(frozen=True, slots=True)
class OwnGate:
    """A user's closed question about an item, as a gate. The evidence is the claim, or the first line."""

    own: Adapter
    name: str

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft. A fault is an ERROR, never a verdict on the item."""
        try:
            answered = await self.own.ask(f"gate {self.name}", ANSWER, item, trajectory)
        except RunFault as fault:
            return Finding(self.name, "ERROR", None, "item", str(fault))
        answer, reason = answered if isinstance(answered, tuple) else (answered, "")
        if answer is None:
            return Finding(self.name, "NOT_APPLICABLE", None, "item", reason or f"{self.name} does not apply")
        text = render(item)
        quote = next((line for line in text.split("\n")[1:] if line.strip()), text)
        if isinstance(item, TypedItem):
            quote = evidence(item)
        return Finding(
            self.name, "PASS" if answer else "FAIL", quote, "item", reason or f"{self.name} says so"
        )


def load_gate(source: str, caller: Caller, seed: int) -> Gate:
    """The gate that `path/to/module.py:Object` names; a SpecFault where it cannot be loaded or called."""
    own = load_adapter(source, caller, seed, "a gate", ("__call__",))
    return OwnGate(own, name_of(own.thing, source))


IGNORED = Expected(list[Any], "nothing")


CHANGED = Aim(length=None, wording=Wording(sentences=False))
"""What is asked unless the object has an `aim`: some word changed; cue line, headings and items stay."""
DAMAGED = Expected(
    list[Damaged | NotApplicable | Slot | tuple[str, ...]],
    "a Slot or a list of texts, Damaged or NotApplicable,",
)


@dataclass(frozen=True, slots=True)
class OwnPerturbation:
    """A user's function from slot to slot, as a kind of damage; RunFault where it does something else."""

    own: Adapter
    name: str
    aim: Aim

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        """Its answer; texts alone keep the cue line. A function is asked where a word can be damaged."""
        method = "apply" if callable(getattr(self.own.thing, "apply", None)) else "__call__"
        if method == "__call__" and (reason := nothing_to_damage(slot)):
            return NotApplicable(reason)
        answer = self.own.call(f"perturbation {self.name}", DAMAGED, slot, rng, context, method=method)
        if isinstance(answer, Damaged | NotApplicable):
            return answer
        return Damaged(answer if isinstance(answer, Slot) else Slot(slot.cue, answer))


def load_perturbation(source: str, seed: int = 0) -> Perturbation:
    """The perturbation that `path/to/module.py:Object` names; a SpecFault where it is none."""
    thing = make(source, {"seed": seed})
    if not callable(getattr(thing, "apply", None)):
        refuse_lacking(thing, source, "a perturbation", ("__call__",))
    aim = getattr(thing, "aim", CHANGED)
    if not isinstance(aim, Aim):
        raise SpecFault(f"{source}: `aim` is an Aim of perturbations.aim; got {aim!r}")
    return OwnPerturbation(Adapter(thing, source), name_of(thing, source), aim)


OF_A_WORLD = ("tasks", "step_limit", "reset", "step", "outcome")
TASKS = Expected(list[tuple[Task, ...]], "a list of Tasks, whose parts are text,")
TURNS = Expected(list[Annotated[int, Field(ge=1)]], "a number of turns, at least 1,")
STATE = Expected(list[State], "a State, whose observation and actions are text,")
OUTCOME = Expected(list[Outcome], "an Outcome, whose score is a number,")
TRUTH = Expected(list[Truth], "a Truth, whose lesson and path are text, and whose rules are Propositions,")


@dataclass
class OwnWorld:
    """A user's world; the methods are those of `environments.world.World`."""

    own: Adapter
    name: str
    rules: str
    digest: str
    blocking: bool

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return self._call("tasks", TASKS, split)

    def step_limit(self, task: Task) -> int:
        return self._call("step_limit", TURNS, task)

    def reset(self, task: Task) -> State:
        return self._call("reset", STATE, task)

    def step(self, action: str) -> State:
        return self._call("step", STATE, action)

    def outcome(self) -> Outcome:
        outcome = self._call("outcome", OUTCOME)
        if not 0 <= outcome.score <= 1:
            raise WorldFault(f"world {self.name}: a score is a number in [0, 1]; got {outcome.score!r}")
        return outcome

    def ground_truth(self, task: Task) -> Truth:
        if not callable(getattr(self.own.thing, "ground_truth", None)):
            raise WorldFault(
                f"world {self.name} states no ground_truth, which arms oracle, planted-... and dose-..., and"
                " traces.source: expert need"
            )
        return self._call("ground_truth", TRUTH, task)

    def close(self) -> None:
        """Release what the world holds, where it has a `close`."""
        if getattr(self.own.thing, "close", None) is not None:
            self._call("close", IGNORED)

    def _call(self, method: str, expected: Expected[T], *arguments: Any) -> T:
        return self.own.call(f"world {self.name}: {method}", expected, *arguments, method=method)


def load_world(source: str, settings: Mapping[str, Any], seed: int) -> World:
    """The world that `path/to/module.py:Object` names, made with the spec's settings; SpecFault where it does
    not fit."""
    refuse_unknown(source, settings, parameters_of(load_object(source)))
    thing = make(source, {"seed": seed, **settings})
    refuse_lacking(thing, source, "a world", OF_A_WORLD)
    rules = getattr(thing, "rules", None)
    if not isinstance(rules, str) or not rules.strip():
        raise SpecFault(f"{source}: a world needs the text `rules`, how to act in it; got {rules!r}")
    own = str(getattr(thing, "digest", ""))
    made_with = {**settings_of(source), **settings}
    canonical = json.dumps([digest_of(source), made_with, seed, own], sort_keys=True, default=str)
    digest = sha256(canonical.encode()).hexdigest()
    blocking = bool(getattr(thing, "blocking", False))
    world = OwnWorld(Adapter(thing, source, WorldFault), name_of(thing, source), rules, digest, blocking)
    try:
        _refuse_confused(source, world)
    except WorldFault as fault:
        world.close()
        raise SpecFault(str(fault)) from fault
    return world


def _refuse_confused(source: str, world: World) -> None:
    """Task ids are unique over both splits, each task says its split, and there is something to play."""
    splits: tuple[Split, ...] = ("train", "test")
    tasks = [(split, task) for split in splits for task in world.tasks(split)]
    if not any(split == "test" for split, _ in tasks):
        raise SpecFault(f"{source}: a world needs tasks of split 'test' to play; it has none")
    times = Counter(task.id for _, task in tasks)
    for split, task in tasks:
        if times[task.id] > 1 or task.split != split:
            raise SpecFault(
                f"{source}: each task needs an id of its own, over both splits, and says its split;"
                f" got {task.id!r} of {task.split!r} in {split!r}, {times[task.id]} times"
            )
