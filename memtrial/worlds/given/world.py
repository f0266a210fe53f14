"""Given tasks behind the protocol of worlds: they are posed, and the agent itself says how each went.

An agent that plays them begins its episode, does the task by whatever means it has, and ends by
`world.report(Outcome(success, score, cause, usage))` of `memtrial/agents/stage.py`. There is nothing to act
in.
"""

import json
from dataclasses import dataclass, field
from hashlib import sha256

from memtrial.worlds.world import Outcome, Split, State, Task, Truth, UnscoredFault, WorldFault


@dataclass
class GivenTasks:
    """A world of tasks alone; all of them are played, and none is there to make memory from.

    `digest` is the sha256 of all tasks with their rows, in order.
    """

    given: tuple[Task, ...]
    name: str = "given"
    rules: str = "Do the task that you are given."
    blocking: bool = False
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        self.digest = digest_tasks(self.given)

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return self.given if split == "test" else ()

    def step_limit(self, task: Task) -> int:  # noqa: ARG002
        """One: a task is done as a whole."""
        return 1

    def reset(self, task: Task) -> State:
        """The task's text is all that there is to see."""
        return State(task.query)

    def step(self, action: str) -> State:
        raise UnscoredFault(
            f"given tasks take no actions; got {action!r:.80}: an agent reports its outcome instead"
        )

    def outcome(self) -> Outcome:
        raise UnscoredFault("given tasks score nothing")

    def ground_truth(self, task: Task) -> Truth:
        raise WorldFault(f"given tasks state no truth; task {task.id!r} was asked for its own")

    def close(self) -> None:
        """There is nothing to give back."""


def digest_tasks(tasks: tuple[Task, ...]) -> str:
    """Sha256 of the tasks with their rows; a value that JSON does not know counts by its text."""
    listed = [[task.id, task.query, task.family, task.template, dict(task.row)] for task in tasks]
    return sha256(json.dumps(listed, sort_keys=True, default=repr).encode()).hexdigest()
