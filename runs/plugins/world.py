"""A world of one's own behind the border: what its code raises is an error row, never the agent's failure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from loadbearing.environments.world import Outcome, Proposition, Split, State, Task, Truth, World, WorldFault
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.load import (
    Border,
    digest_of,
    half_sign,
    load_object,
    made_of,
    name_of,
    parameters_of,
    refuse_lacking,
)

METHODS = ("tasks", "step_limit", "reset", "step", "outcome")
OFFERED = ("seed", "settings")
T = TypeVar("T")


@dataclass
class OwnWorld:
    """Somebody's world; the methods are those of `environments.world.World`."""

    thing: Any
    source: str
    name: str
    rules: str
    digest: str
    blocking: bool

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """The tasks of one split."""
        found = self._call("tasks", list | tuple, split)
        for task in found:
            if not isinstance(task, Task):
                raise WorldFault(f"world {self.name}: tasks returned {type(task).__name__}; a Task is needed")
            self._refuse_unsaid("a task", task.id, task.query, task.family, task.template)
        return tuple(found)

    def step_limit(self, task: Task) -> int:
        """How many turns the agent has; at least one."""
        limit: int = self._call("step_limit", int, task)
        if limit < 1:
            raise WorldFault(f"world {self.name}: step_limit returned {limit}; at least 1 is needed")
        return limit

    def reset(self, task: Task) -> State:
        """Begin the task anew."""
        return self._state("reset", task)

    def step(self, action: str) -> State:
        """Do one action."""
        return self._state("step", action)

    def outcome(self) -> Outcome:
        """How the episode stands."""
        found: Outcome = self._call("outcome", Outcome)
        score = found.score
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            raise WorldFault(f"world {self.name}: a score is a number in [0, 1]; got {score!r}")
        self._refuse_unsaid("an outcome's cause", found.cause)
        return Outcome(bool(found.success), float(score), found.cause)

    def ground_truth(self, task: Task) -> Truth:
        """The true lesson and a path, where the world states them."""
        if not callable(getattr(self.thing, "ground_truth", None)):
            raise WorldFault(
                f"world {self.name} states no ground_truth, which arms oracle, planted-... and dose-..., and"
                " traces.source: expert need"
            )
        found: Truth = self._call("ground_truth", Truth, task)
        self._refuse_unsaid("a ground truth", found.lesson, *found.path)
        stated = () if found.proposition is None else (found.proposition, *found.further)
        for one in stated:
            if not isinstance(one, Proposition):
                kind = type(one).__name__
                raise WorldFault(f"world {self.name}: a rule is a Proposition; got {kind}")
            self._refuse_unsaid("a proposition", one.situation, one.action, one.why, one.unless, one.where)
        return Truth(found.lesson, tuple(found.path), found.proposition, tuple(found.further))

    def close(self) -> None:
        """Give back what the world holds, where it holds something."""
        with Border(f"world {self.name}, close", WorldFault, self.source):
            getattr(self.thing, "close", lambda: None)()

    def _state(self, method: str, argument: Task | str) -> State:
        found: State = self._call(method, State, argument)
        actions = found.actions
        if actions is not None and not isinstance(actions, list | tuple):
            raise WorldFault(f"world {self.name}: actions are a tuple of texts or None; got {actions!r}")
        self._refuse_unsaid(f"what {method} shows", found.observation, *(actions or ()))
        listed = None if actions is None else tuple(actions)
        return State(found.observation, listed, bool(found.done), bool(found.refused))

    def _refuse_unsaid(self, what: str, *texts: Any) -> None:
        """What an agent reads, and a ledger keeps, is text."""
        other = next((type(text).__name__ for text in texts if not isinstance(text, str)), "")
        if why := other or half_sign(*texts):
            raise WorldFault(f"world {self.name}: {what} is text; got {why}")

    def _call(self, method: str, wanted: Any, *arguments: Any) -> Any:
        with Border(f"world {self.name}, {method}", WorldFault, self.source):
            found = getattr(self.thing, method)(*arguments)
        if not isinstance(found, wanted) or isinstance(found, bool):
            needed = getattr(wanted, "__name__", "list")
            raise WorldFault(
                f"world {self.name}: {method} returned {type(found).__name__}; {needed} is needed"
            )
        return found


def load_world(source: str, settings: Mapping[str, Any], seed: int) -> World:
    """The world that a name stands for, made with the spec's settings.

    Args:
        source: `path/to/module.py:Object`.
        settings: arguments by name; the whole of them as `settings` where the object asks for that.

    Raises:
        SpecFault: it cannot be loaded, takes no such setting, lacks a method, or has no tasks to play.
    """
    found = load_object(source)
    _refuse_unknown(source, settings, tuple(parameters_of(found)) if callable(found) else ())
    thing = made_of(found, source, {"seed": seed, "settings": dict(settings), **settings})
    refuse_lacking(thing, source, "a world", METHODS)
    rules = getattr(thing, "rules", None)
    if not isinstance(rules, str) or not rules.strip():
        raise SpecFault(f"{source}: a world needs the text `rules`, how to act in it; got {rules!r}")
    own = getattr(thing, "digest", "")
    canonical = json.dumps([digest_of(source), dict(settings), seed, str(own)], sort_keys=True, default=str)
    digest = sha256(canonical.encode()).hexdigest()
    world = OwnWorld(
        thing, source, name_of(thing, source), rules, digest, bool(getattr(thing, "blocking", False))
    )
    try:
        _refuse_confused(source, world)
    except WorldFault as fault:
        world.close()
        raise SpecFault(str(fault)) from fault
    return world


def _refuse_unknown(source: str, settings: Mapping[str, Any], taken: tuple[str, ...]) -> None:
    """A setting that the object has no argument for is refused, not passed over."""
    unknown = sorted(set(settings) - set(taken)) if "settings" not in taken else []
    if unknown:
        having = ", ".join(name for name in taken if name not in OFFERED) or "none"
        raise SpecFault(f"{source} takes no setting {unknown[0]!r}; its settings: {having}")


def _refuse_confused(source: str, world: World) -> None:
    """Task ids are unique over both splits, and there is something to play."""
    tasks = (*world.tasks("train"), *world.tasks("test"))
    if not world.tasks("test"):
        raise SpecFault(f"{source}: a world needs tasks of split 'test' to play; it has none")
    twice = next((one for one, times in Counter(task.id for task in tasks).items() if times > 1), None)
    if twice is not None:
        raise SpecFault(
            f"{source}: each task needs an id of its own, over both splits; {twice!r} stands twice"
        )
