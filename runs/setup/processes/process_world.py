"""A world in a process of its own: while it computes, others play and calls to models go on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from memtrial.protocols import World
from memtrial.runs.setup.processes.line_process import ChildFault, ChildProcess, begin_child
from memtrial.runs.setup.processes.world_calls import WorldAnswer, WorldCall
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import Outcome, Split, State, Task, Truth, UnscoredFault, WorldFault

PROGRAM = "memtrial.runs.setup.processes.world_process"


def open_apart(spec: Spec, world: World, opened: Callable[[], World]) -> Callable[[], World]:
    """How worlds to play in are opened: each in a process of its own where the spec bounds their number.

    Args:
        world: one of the same spec. One that waits for a process already needs no further one.
        opened: opens a world in this process.
    """
    if not is_apart(spec, world):
        return opened
    name, rules, digest = world.name, world.rules, world.digest
    return lambda: ProcessWorld(spec, name, rules, digest)


def is_apart(spec: Spec, world: World) -> bool:
    """Worlds like this one, in which is played, are in processes of their own."""
    return spec.engine.max_environments is not None and not world.blocking


@dataclass
class ProcessWorld:
    """The world of a spec. Where its process ends, that is a fault of the world; the next `reset` begins
    another."""

    spec: Spec
    name: str
    rules: str
    digest: str
    blocking: bool = field(default=True, init=False)
    _child: ChildProcess | None = None

    def tasks(self, split: Split) -> tuple[Task, ...]:
        tasks: tuple[Task, ...] = self._call("tasks", split)
        return tasks

    def step_limit(self, task: Task) -> int:
        limit: int = self._call("step_limit", task)
        return limit

    def reset(self, task: Task) -> State:
        state: State = self._call("reset", task)
        return state

    def step(self, action: str) -> State:
        state: State = self._call("step", action)
        return state

    def outcome(self) -> Outcome:
        outcome: Outcome = self._call("outcome")
        return outcome

    def ground_truth(self, task: Task) -> Truth:
        truth: Truth = self._call("ground_truth", task)
        return truth

    def close(self) -> None:
        """End the process, if there is one."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            if self._child is None:
                self._child = begin_child(PROGRAM)
                self._child.line.send(self.spec.model_dump_json())
            answer: WorldAnswer = self._child.ask(WorldCall(method, arguments))
        except (ChildFault, OSError) as fault:
            self.close()
            raise WorldFault(f"the process of {self.name} {fault}") from fault
        if answer.broken is not None:
            raise (UnscoredFault if answer.unscored else WorldFault)(answer.broken)
        return answer.value
