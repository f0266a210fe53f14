"""What every world must do. Each law tries a few tasks: a real world may take seconds for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing

from loadbearing.environments.world import Outcome, State, Task, World, WorldFault
from loadbearing.runs.plugins.adapter import Mismatch, conformed
from loadbearing.runs.plugins.conformance.law import Law, Seen

Make = Callable[[], World]
MOST_TASKS = 6
NONSENSE = "frobnicate the undoable"


def _own_ids(make: Make) -> Seen:
    """Over both splits: memory of a task must never be shown for it."""
    with closing(make()) as world:
        train, test = world.tasks("train"), world.tasks("test")
    times = Counter(task.id for task in (*train, *test))
    splits = ((train, "train"), (test, "test"))
    cases = [
        f"{task.id} stands twice" if times[task.id] > 1 else f"{task.id} says split {task.split!r}"
        if task.split != split else ""
        for tasks, split in splits
        for task in tasks
    ]  # fmt: skip
    none = [] if test else ["there are no tasks to test on"]
    return Seen([*none, *cases], f"{len(train)} to train on, {len(test)} to test on")


def _same_tasks(make: Make) -> Seen:
    """A resumed run finds the tasks that it began with."""
    with closing(make()) as one, closing(make()) as other:
        same = all(one.tasks(split) == other.tasks(split) == one.tasks(split) for split in ("train", "test"))
        wrong = "the tasks differ" if not same else "the digest differs" if one.digest != other.digest else ""
    return Seen([wrong], "the same tasks and digest twice")


def _solvable(make: Make) -> Seen:
    """Where a world states no truth, arm oracle and traces.source: expert cannot be used with it."""
    try:
        return _each(_unsolved)(make)
    except WorldFault as fault:
        if "states no ground_truth" not in str(fault):
            raise
        return Seen([], "it states none: no arm oracle, no expert traces")


def _unsolved(world: World, task: Task) -> str:
    path, limit = world.ground_truth(task).path, world.step_limit(task)
    _walk(world, task, path)
    if not world.outcome().success:
        return f"{task.id}: {' / '.join(path)[:80]}"
    return f"{task.id}: the path has {len(path)} steps of {limit}" if len(path) > limit else ""


def _not_reset(world: World, task: Task) -> str:
    """One instance plays many episodes."""
    first, *_ = _walk(world, task, _actions(world, task))
    again, outcome = world.reset(task), world.outcome()
    return "" if again == first and not (outcome.success or again.done) else _differ(task, first, again)


def _repeatable(make: Make) -> Seen:
    """In one instance and in a fresh one."""

    def wrong(world: World, task: Task) -> str:
        actions = _actions(world, task)
        first, again, other = (_walk(one, task, actions) for one in (world, world, fresh))
        return "" if first == again == other else _differ(task, first[-1], again[-1])

    with closing(make()) as fresh:
        return _each(wrong)(make)


def _closes_twice(make: Make) -> Seen:
    """The caller that cleans up last does not know who closed it before."""
    world = make()
    world.close()
    world.close()
    return Seen([], "closed twice")


def _each(wrong: Callable[[World, Task], str]) -> Callable[[Make], Seen]:
    """A law that holds for each of a few tasks."""

    def look(make: Make) -> Seen:
        with closing(make()) as world:
            return Seen([wrong(world, task) for task in _some(world)])

    return look


def _some(world: World) -> tuple[Task, ...]:
    tasks = (*world.tasks("test"), *world.tasks("train"))
    return tasks[:: max(1, len(tasks) // MOST_TASKS)][:MOST_TASKS]


def _actions(world: World, task: Task) -> tuple[str, ...]:
    """The true path, or what the world lists, or nonsense."""
    try:
        return world.ground_truth(task).path
    except WorldFault:
        return ((world.reset(task).actions or (NONSENSE,))[0], NONSENSE)


def _walk(world: World, task: Task, actions: tuple[str, ...]) -> list[State]:
    return [world.reset(task), *(world.step(action) for action in actions)]


def _differ(task: Task, before: State, after: State) -> str:
    return f"{task.id}: {after.observation[:60]!r} after {before.observation[:60]!r}"


def _misshapen(world: World, task: Task) -> str:
    """Text to see, turns to take, a score in [0, 1]; nonsense is the agent's doing and breaks nothing."""
    state, before = world.reset(task), world.outcome()
    after, outcome = world.step(NONSENSE), world.outcome()
    try:
        for value, wanted in ((state, State), (after, State), (before, Outcome), (outcome, Outcome)):
            conformed(value, wanted)
    except Mismatch as came:
        return f"{task.id}: it shows {came}"
    checks = {
        "reset observes nothing": state.observation.strip(),
        "it is done after the reset": not state.done,
        "it is solved after the reset": not before.success,
        "there are no turns": world.step_limit(task) >= 1,
        "a score lies outside [0, 1]": all(0 <= one.score <= 1 for one in (before, outcome)),
        "the task asks nothing": task.query.strip(),
    }
    return next((f"{task.id}: {why}" for why, held in checks.items() if not held), "")


LAWS: tuple[Law[World], ...] = (
    Law("tasks have ids of their own", "tasks", _own_ids),
    Law("tasks and digest are the same each time", "", _same_tasks),
    Law("an episode has its shapes", "episodes begun", _each(_misshapen)),
    Law("the true path solves the task", "true paths walked", _solvable),
    Law("a reset after the end begins anew", "tasks begun twice", _each(_not_reset)),
    Law("same actions same observations", "episodes played three times", _repeatable),
    Law("it closes twice", "", _closes_twice),
)
