"""ScienceWorld behind the protocol of worlds."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from typing import Literal

from memtrial.worlds.scienceworld import action_commands
from memtrial.worlds.scienceworld.jvm import OPTIONS, Jvm, describe_missing, java_path, task_names
from memtrial.worlds.world import Outcome, Split, State, Task, Truth, WorldFault


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """What is taken from the benchmark, and how it is played.

    Args:
        tasks: task names as the benchmark spells them. Each name is one family.
        n_train, n_test: variations of each task, from the official `train` and `held_out` variations.
        seed: decides which variations are taken. A larger n only adds variations, and a further task
            changes none of the others'.
        step_limit: turns of the agent. The simulator's own limit counts ticks and is not used.
        simplifications: `easy` opens all doors and containers, lets the agent teleport and lets flower pots
            water themselves; or nothing.
    """

    tasks: tuple[str, ...] = ("find-plant", "find-non-living-thing", "lifespan-longest-lived")
    n_train: int = 12
    n_test: int = 12
    seed: int = 0
    step_limit: int = 30
    simplifications: Literal["easy", ""] = "easy"
    held_out: Literal["test", "dev"] = "test"

    def __post_init__(self) -> None:
        if not self.tasks or len(set(self.tasks)) < len(self.tasks):
            raise ValueError(f"needs at least one ScienceWorld task and none twice; came {list(self.tasks)}")


def draw_variations(official: Iterable[int], n: int, name: str, seed: int) -> tuple[int, ...]:
    """Draw `n` variations of task `name`, the same ones for the same seed; ValueError where there are fewer.

    Ranked by a hash, not by a generator: no library's stream is part of the run's identity.
    """
    ranked = sorted(official, key=lambda number: sha256(f"{seed}/{name}/{number}".encode()).digest())
    if len(ranked) < n:
        raise ValueError(
            f"needs {n} variations of {name!r}, but ScienceWorld has {len(ranked)} in this split"
        )
    return tuple(ranked[:n])


ADAPTER = 1  # raise it when the same action may lead to another text, score or end


@dataclass(slots=True)
class _Episode:
    task: Task
    outcome: Outcome
    done: bool = False


class ScienceWorld:
    """The benchmark's text world: one instance holds at most one JVM, started on first use.

    With the options of `jvm.OPTIONS` the text, the score and the gold path of a task are a function of its
    variation alone, whatever was played before. Success is the full score; a wrong focus ends the episode
    with score 0. The JVM may take `wait_s` over one call.

    Raises:
        ValueError: the package or Java is missing, no such task, or no episode is in play.
        WorldFault: from any method, when the JVM died, hung or broke. The next `reset` starts another.

    Source: Wang et al., ScienceWorld, arXiv 2203.07540; `scienceworld` 1.2.3.
    """

    name: str = "scienceworld"
    blocking: bool = True

    def __init__(self, choice: TaskChoice, wait_s: float = 120.0) -> None:
        if problem := describe_missing(find_spec("scienceworld") is not None, java_path() is not None):
            raise ValueError(problem)
        if unknown := [name for name in choice.tasks if name not in task_names()]:
            raise ValueError(
                f"ScienceWorld has no task {', '.join(unknown)}; it has {', '.join(task_names())}"
            )
        self.choice = choice
        self.rules: str = action_commands.rules(choice.simplifications == "easy")
        body = {
            "adapter": ADAPTER,
            # with the choice, the version decides which variations are drawn
            "scienceworld": version("scienceworld"),
            "jvm": OPTIONS,
            "choice": asdict(choice),
            "rules": self.rules,
            "lessons": {name: action_commands.lesson(name, ()) for name in choice.tasks},
        }
        self.digest: str = sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        self.jvm: Jvm | None = None
        self._wait_s = wait_s
        self._episode: _Episode | None = None
        self._tasks: dict[Split, tuple[Task, ...]] = {}
        self._truths: dict[str, Truth] = {}

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """The tasks of one split, by name and in the order drawn. The first call loads each of them once."""
        if split not in self._tasks:
            choice, tasks = self.choice, []
            part, n = ("train", choice.n_train) if split == "train" else (choice.held_out, choice.n_test)
            jvm, self._episode = self._running_jvm(), None
            for name in choice.tasks:
                self._load(jvm, f"{name}/0")
                official = jvm.ask(f"getVariations{part.title()}", many=True)
                for number in draw_variations(official, n, name, choice.seed):
                    self._load(jvm, f"{name}/{number}")
                    query = " ".join(jvm.ask("getTaskDescription").split())
                    tasks.append(Task(f"{name}/{number}", query, name, name, split))
            self._tasks[split] = tuple(tasks)
        return self._tasks[split]

    def step_limit(self, task: Task) -> int:  # noqa: ARG002
        return self.choice.step_limit

    def reset(self, task: Task) -> State:
        """Begin the task anew, and show room and inventory; ValueError for a task of another world."""
        self._episode = None
        jvm = self._running_jvm()
        self._load(jvm, task.id)
        # typed, as the benchmark's own reset does: until then score and end are the last episode's
        room = action_commands.clean_reply(jvm.ask("step", "look around"))
        # some subgoals hold from the start, so the score need not begin at 0
        self._episode = _Episode(task, _judge_score(float(jvm.ask("getScore"))))
        return State(f"{room}\n{action_commands.clean_reply(jvm.ask('freeActionInventory'))}")

    def step(self, action: str) -> State:
        """Type one action; a question about its reading is answered in the same step."""
        episode, jvm = self._episode_in_play()
        if episode.done:
            raise ValueError(f"the episode of {episode.task.id!r} is over; call reset")
        reply = jvm.ask("step", action_commands.clean_action(action))
        observation = action_commands.clean_reply(reply)
        if (offered := action_commands.readings(reply)) is not None:
            # "0" is how the gold paths answer; the order of the readings is fixed by the JVM's options
            reply = action_commands.clean_reply(jvm.ask("step", "0"))
            observation = action_commands.resolve_question(offered, reply)
        score, completed = float(jvm.ask("getScore")), jvm.ask("getCompleted") == "True"
        episode.done = completed or score < 0
        episode.outcome = _judge_score(score)
        return State(observation, done=episode.done, refused=action_commands.is_refusal(reply))

    def outcome(self) -> Outcome:
        """How the episode stands after its last step."""
        return self._episode_in_play()[0].outcome

    def ground_truth(self, task: Task) -> Truth:
        """The lesson and a gold path, replayed to the full score; WorldFault where it does not get there."""
        if task.id not in self._truths:
            jvm, self._episode = self._running_jvm(), None
            self._load(jvm, task.id, gold=True)
            walk = self._solve(task, jvm.ask("getGoldActionSequence", many=True))
            if walk is None:
                raise WorldFault(f"the gold path of {task.id!r} does not reach the full score")
            solved = (self._solve(task, path) for path in action_commands.shortenings(walk))
            path = tuple(action for action, _ in next(solution for solution in solved if solution))
            self._truths[task.id] = Truth(action_commands.lesson(task.family, path), path)
        return self._truths[task.id]

    def close(self) -> None:
        """End the JVM. Safe to call twice; a later reset starts another."""
        if self.jvm is not None:
            self.jvm.close()
        self.jvm = self._episode = None

    def _load(self, jvm: Jvm, task_id: str, gold: bool = False) -> None:
        """Begin a variation anew; with its gold path, which costs seconds in long tasks."""
        name, _, number = task_id.rpartition("/")
        how = self.choice.simplifications
        known = name in self.choice.tasks and number.isdecimal()
        complaint = jvm.ask("load", name, int(number), how, gold) if known else "no task of this world"
        if complaint:
            raise ValueError(f"ScienceWorld cannot load {task_id} ({how!r}): {complaint}")

    def _solve(self, task: Task, path: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
        """Play a path to its end or to the task's: its actions and replies, or None where it fails."""
        self.reset(task)
        walk: list[tuple[str, str]] = []
        for action in path:
            state = self.step(action)
            walk.append((action, state.observation))
            if state.done:
                break
        return tuple(walk) if self.outcome().success else None

    def _running_jvm(self) -> Jvm:
        if self.jvm is None or not self.jvm.alive:
            self.close()
            self.jvm = Jvm(self._wait_s)
        return self.jvm

    def _episode_in_play(self) -> tuple[_Episode, Jvm]:
        if self._episode is None or self.jvm is None:
            raise ValueError("no episode of ScienceWorld is in play; call reset")
        if not self.jvm.alive:
            raise WorldFault("the JVM that held this episode of ScienceWorld is dead; call reset")
        return self._episode, self.jvm


def _judge_score(score: float) -> Outcome:
    """The benchmark's score as an outcome: it is negative after a wrong focus, which is final."""
    return Outcome(score >= 1, min(max(score, 0.0), 1.0), "wrong focus" if score < 0 else "")
