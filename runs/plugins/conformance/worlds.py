"""What every world keeps. Each law looks at a few tasks: a real world may take seconds for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from loadbearing.environments.world import Outcome, State, Task, World, WorldFault
from loadbearing.runs.plugins.conformance.law import Law, Seen, all_of

Make = Callable[[], World]
MOST_TASKS = 6
NONSENSE = "frobnicate the undoable"


def tasks_have_ids_of_their_own(make: Make) -> Seen:
    """Over both splits: memory of a task must never be shown for it."""
    world = make()
    train, test = world.tasks("train"), world.tasks("test")
    world.close()
    ids = [task.id for task in (*train, *test)]
    wrong = sorted(one for one, times in Counter(ids).items() if times > 1)
    wrong += [f"{task.id} says split {task.split!r}" for task in train if task.split != "train"]
    wrong += [f"{task.id} says split {task.split!r}" for task in test if task.split != "test"]
    passed, seen = all_of(wrong, len(ids), "tasks")
    return passed and bool(test), f"{seen}; {len(train)} to train on, {len(test)} to test on"


def tasks_and_digest_are_the_same_each_time(make: Make) -> Seen:
    """A run that goes on finds what it began with."""
    one, other = make(), make()
    same = all(one.tasks(split) == other.tasks(split) == one.tasks(split) for split in ("train", "test"))
    digests = one.digest == other.digest
    one.close()
    other.close()
    said = "the same tasks and digest twice" if same and digests else "the digest differs" if same else ""
    return same and digests, said or "the tasks differ"


def an_episode_has_its_shapes(make: Make) -> Seen:
    """Text to see, turns to take, a score in [0, 1]; nonsense is the agent's doing and breaks nothing."""
    world = make()
    wrong = []
    tasks = _some(world)
    for task in tasks:
        state = world.reset(task)
        found = (world.outcome(), world.step(NONSENSE), world.outcome())
        wrong += [f"{task.id}: {why}" for why in _misshapen(world, task, state, *found)]
    world.close()
    return all_of(wrong, len(tasks), "episodes begun")


def the_true_path_solves_the_task(make: Make) -> Seen:
    """Where a world states none, arm oracle and traces.source: expert cannot be used with it."""
    world = make()
    tasks, wrong = _some(world), []
    try:
        for task in tasks:
            path = world.ground_truth(task).path
            _walk(world, task, path)
            if not world.outcome().success:
                wrong.append(f"{task.id}: {' / '.join(path)[:80]}")
            elif len(path) > world.step_limit(task):
                wrong.append(f"{task.id}: the path has {len(path)} steps of {world.step_limit(task)}")
    except WorldFault as fault:
        if "states no ground_truth" in str(fault):
            return True, "it states none: no arm oracle, no expert traces"
        raise
    finally:
        world.close()
    return all_of(wrong, len(tasks), "true paths walked")


def a_reset_after_the_end_begins_anew(make: Make) -> Seen:
    """One instance plays many episodes."""
    world = make()
    tasks, wrong = _some(world), []
    for task in tasks:
        first = world.reset(task)
        _walk(world, task, _actions(world, task))
        again, outcome = world.reset(task), world.outcome()
        if (again, outcome.success, again.done) != (first, False, False):
            wrong.append(f"{task.id}: {again.observation[:60]!r} after {first.observation[:60]!r}")
    world.close()
    return all_of(wrong, len(tasks), "tasks begun twice")


def same_actions_same_observations(make: Make) -> Seen:
    """In one instance and in a fresh one."""
    one, other = make(), make()
    tasks, wrong = _some(one), []
    for task in tasks:
        actions = _actions(one, task)
        walks = [_walk(world, task, actions) for world in (one, one, other)]
        if not walks[0] == walks[1] == walks[2]:
            wrong.append(
                f"{task.id}: {walks[1][-1].observation[:60]!r} after {walks[0][-1].observation[:60]!r}"
            )
    one.close()
    other.close()
    return all_of(wrong, len(tasks), "episodes played three times")


def it_closes_twice(make: Make) -> Seen:
    """Whoever cleans up does not know who did before."""
    world = make()
    world.close()
    world.close()
    return True, "closed twice"


LAWS: tuple[Law[World], ...] = (
    tasks_have_ids_of_their_own,
    tasks_and_digest_are_the_same_each_time,
    an_episode_has_its_shapes,
    the_true_path_solves_the_task,
    a_reset_after_the_end_begins_anew,
    same_actions_same_observations,
    it_closes_twice,
)


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


def _misshapen(
    world: World, task: Task, state: State, before: Outcome, after: State, outcome: Outcome
) -> list[str]:
    checks = {
        "reset observes nothing": state.observation.strip(),
        "it is done after the reset": not state.done,
        "it is solved after the reset": not before.success,
        "there are no turns": world.step_limit(task) >= 1,
        "a score lies outside [0, 1]": all(0 <= one.score <= 1 for one in (before, outcome)),
        "a step observes something else than text": isinstance(after.observation, str),
        "actions are no texts": all(
            isinstance(one, str) for one in (*(state.actions or ()), *(after.actions or ()))
        ),
        "the task asks nothing": task.query.strip(),
    }
    return [why for why, held in checks.items() if not held]
