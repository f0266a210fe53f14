"""A user's world. What its code raises is an error of the infrastructure, never the agent's failure."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from pydantic import Field

from loadbearing.environments.world import Outcome, Split, State, Task, Truth, World, WorldFault
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.load import (
    Adapter,
    Expected,
    digest_of,
    load_object,
    make,
    name_of,
    parameters_of,
    refuse_lacking,
)

T = TypeVar("T")
METHODS = ("tasks", "step_limit", "reset", "step", "outcome")
TASKS = Expected(list[tuple[Task, ...]], "a list of Tasks, whose parts are text,")
TURNS = Expected(list[Annotated[int, Field(ge=1)]], "a number of turns, at least 1,")
STATE = Expected(list[State], "a State, whose observation and actions are text,")
OUTCOME = Expected(list[Outcome], "an Outcome, whose score is a number,")
TRUTH = Expected(list[Truth], "a Truth, whose lesson and path are text, and whose rules are Propositions,")
NOTHING = Expected(list[Any], "nothing")


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
        found = self._call("outcome", OUTCOME)
        if not 0 <= found.score <= 1:
            raise WorldFault(f"world {self.name}: a score is a number in [0, 1]; got {found.score!r}")
        return found

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
            self._call("close", NOTHING)

    def _call(self, method: str, expected: Expected[T], *arguments: Any) -> T:
        return self.own.call(f"world {self.name}: {method}", expected, *arguments, method=method)


def load_world(source: str, settings: Mapping[str, Any], seed: int) -> World:
    """The world that `path/to/module.py:Object` names, made with the spec's settings; SpecFault where it does
    not fit."""
    taken = parameters_of(load_object(source))
    unknown = sorted(settings.keys() - taken.keys())
    if unknown:
        having = ", ".join(name for name in taken if name != "seed") or "none"
        raise SpecFault(f"{source} takes no setting {unknown[0]!r}; its settings: {having}")
    thing = make(source, {"seed": seed, **settings})
    refuse_lacking(thing, source, "a world", METHODS)
    rules = getattr(thing, "rules", None)
    if not isinstance(rules, str) or not rules.strip():
        raise SpecFault(f"{source}: a world needs the text `rules`, how to act in it; got {rules!r}")
    own = str(getattr(thing, "digest", ""))
    canonical = json.dumps([digest_of(source), dict(settings), seed, own], sort_keys=True, default=str)
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
