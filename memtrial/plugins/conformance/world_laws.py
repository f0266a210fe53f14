"""What every world must do. Each law tries a few tasks: a real world may take seconds for one."""

from collections.abc import Awaitable, Callable
from contextlib import closing

from memtrial.plugins.conformance.laws import Law, LawResult, alike
from memtrial.protocols import World
from memtrial.worlds.world import State, Task, WorldFault

Make = Callable[[], World]
MOST_TASKS = 6
NONSENSE = "frobnicate the undoable"


async def _same_tasks(make: Make) -> LawResult:
    """A resumed run finds the tasks that it began with. Who cleans up last may close a world again."""
    world, fresh = make(), make()
    same = all(world.tasks(split) == fresh.tasks(split) == world.tasks(split) for split in ("train", "test"))
    wrong = "the tasks differ" if not same else "the digest differs" if world.digest != fresh.digest else ""
    note = f"{len(world.tasks('train'))} to train on, {len(world.tasks('test'))} to test on"
    for opened in (world, fresh, world):
        opened.close()
    return LawResult([wrong], note)


def _misshape(world: World, task: Task) -> str:
    """Nonsense is the agent's doing and breaks nothing."""
    state, before = world.reset(task), world.outcome()
    after, outcome = world.step(NONSENSE), world.outcome()
    checks = {
        "reset observes nothing": state.observation.strip(),
        "it is done after the reset": not state.done,
        "it is solved after the reset": not before.success,
        "there are no turns": world.step_limit(task) >= 1,
        "a score lies outside [0, 1]": all(0 <= state.score <= 1 for state in (before, outcome)),
        "nothing is observed after nonsense": after.observation.strip(),
        "the task asks nothing": task.query.strip(),
    }
    return next((f"{task.id}: {why}" for why, held in checks.items() if not held), "")


async def _solvable(make: Make) -> LawResult:
    """Where a world states no truth, arm oracle and traces.source: expert cannot be used with it."""
    try:
        return await _each(_try_path)(make)
    except WorldFault as fault:
        if "states no ground_truth" not in str(fault):
            raise
        return LawResult([], "it states none: no arm oracle, no expert traces")


def _try_path(world: World, task: Task) -> str:
    path, limit = world.ground_truth(task).path, world.step_limit(task)
    _walk(world, task, path)
    if not world.outcome().success:
        return f"{task.id}: {' / '.join(path)[:80]}"
    return f"{task.id}: the path has {len(path)} steps of {limit}" if len(path) > limit else ""


async def _repeatable(make: Make) -> LawResult:
    """In one instance, which plays many episodes, and in a fresh one."""

    def wrong(world: World, task: Task) -> str:
        try:
            actions = world.ground_truth(task).path
        except WorldFault:
            actions = ((world.reset(task).actions or (NONSENSE,))[0], NONSENSE)
        seen = alike(*(_walk(each, task, actions) for each in (world, world, fresh))).cases
        return next((f"{task.id}: {why}" for why in seen if why), "")

    with closing(make()) as fresh:
        return await _each(wrong)(make)


def _each(wrong: Callable[[World, Task], str]) -> Callable[[Make], Awaitable[LawResult]]:
    """A law that holds for each of a few tasks."""

    async def look(make: Make) -> LawResult:
        with closing(make()) as world:
            tasks = (*world.tasks("test"), *world.tasks("train"))
            few = tasks[:: max(1, len(tasks) // MOST_TASKS)][:MOST_TASKS]
            return LawResult([wrong(world, task) for task in few])

    return look


def _walk(world: World, task: Task, actions: tuple[str, ...]) -> list[State]:
    return [world.reset(task), *(world.step(action) for action in actions)]


WORLDS: tuple[Law[World], ...] = (
    Law("the same tasks each time", "", _same_tasks),
    Law("an episode has its shapes", "episodes begun", _each(_misshape)),
    Law("the true path solves the task", "true paths walked", _solvable),
    Law("same actions same observations", "episodes played three times", _repeatable),
)
