"""The workshop as a world.

It exists to calibrate: rules are hidden, transfer inside a family and nowhere else, so a participant of
known disposition must earn a known verdict. That says something about the instrument and nothing about any
language model. One that plays here shows what it does in a made-up world of short texts, and no more.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property, lru_cache
from hashlib import sha256

from memtrial.worlds.workshop.task_families import (
    STANDARD_DIFFICULTY,
    Difficulty,
    WorkshopJob,
    draw_families,
    draw_jobs,
)
from memtrial.worlds.world import Outcome, Split, State, Task, Truth

VERSION = 1  # goes up with every change of what the world says or does
RULES = """You run machines in a workshop. A machine starts when the right control is worked in the state \
it is in; most controls do nothing. You have few turns. Name one action of the list, word for word."""


@lru_cache(maxsize=8)
def _draw_splits(
    seed: int, n_train: int, n_test: int, families: int, difficulty: Difficulty
) -> Mapping[Split, Mapping[str, WorkshopJob]]:
    """All jobs by split and task id; drawn once, for a run opens a world for each episode under way."""
    drawn = draw_families(seed, families, difficulty)
    return {
        "train": draw_jobs(drawn, seed, "train", n_train, difficulty),
        "test": draw_jobs(drawn, seed, "test", n_test, difficulty),
    }


class Workshop:
    """Machines with hidden rules, from a seed: tasks for memory and for trials, of 8 to 12 families."""

    name = "workshop"
    rules = RULES
    blocking = False

    def __init__(
        self,
        seed: int,
        n_train: int = 96,
        n_test: int = 120,
        families: int = 12,
        difficulty: Difficulty = STANDARD_DIFFICULTY,
    ) -> None:
        self._tries = difficulty.tries
        self._jobs = _draw_splits(seed, n_train, n_test, families, difficulty)
        self._begin(None)

    @cached_property
    def digest(self) -> str:
        """Of all tasks; only asked of the first of many worlds."""
        described = [[asdict(job) for job in jobs.values()] for jobs in self._jobs.values()]
        canonical = json.dumps([VERSION, RULES, self._tries, described], sort_keys=True)
        return sha256(canonical.encode()).hexdigest()

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return tuple(job.task for job in self._jobs[split].values())

    def step_limit(self, task: Task) -> int:
        """Turns: the waiting, the tries, and the two closing steps where there are any."""
        job = self._jobs[task.split][task.id]
        return job.wait + self._tries + (2 if job.family.trait == "check" else 0)

    def reset(self, task: Task) -> State:
        job = self._jobs[task.split][task.id]
        self._begin(job)
        return State(
            self._scene(job, f"You stand before the {job.family.machine} and its panel."), self._actions(job)
        )

    def _begin(self, job: WorkshopJob | None) -> None:
        self._job = job
        self._waited = 0
        self._running = self._tested = self._done = self._success = False
        self._cause = ""

    def step(self, action: str) -> State:
        """Work a control, wait, inspect or sign off."""
        job = self._job
        if job is None:
            raise ValueError("step needs a task: call reset(task) first")
        wanted = action.strip().strip(".").lower()
        refused = self._done or wanted not in self._actions(job)
        effect = "That is not on the list." if refused else self._act(job, wanted)
        return State(self._scene(job, effect), self._actions(job), self._done, refused)

    def outcome(self) -> Outcome:
        """Success is a running machine, handed over where the family asks for it."""
        score = 1.0 if self._success else 0.5 * self._running
        return Outcome(self._success, score, self._cause)

    def ground_truth(self, task: Task) -> Truth:
        """The family's whole rule in prose, the path of this task, and the rule for the state that it shows.

        The exception, where there is one, is among the others: the rule itself says where it does not hold.
        The answer is the control that works; whoever tried it in another task of the family may know it.
        """
        job = self._jobs[task.split][task.id]
        rules = job.family.propositions
        others = tuple(rule for number, rule in enumerate(rules) if number != job.which)
        return Truth(job.family.lesson(), job.path, rules[job.which], others, (job.works,))

    def close(self) -> None:
        """Nothing is held."""

    def _act(self, job: WorkshopJob, action: str) -> str:
        family = job.family
        if action == "wait":
            self._waited += 1
            return f"You wait a while by the {family.machine}."
        if action == family.test:
            self._tested = True
            return "The sample is sound."
        if action == family.hand_over:
            self._done, self._success = True, self._tested
            if self._tested:
                return "The work is accepted."
            self._cause = "signed off before the check"
            return "The work is sent back: nobody had checked it."
        if action == job.works:
            self._running = True
            if family.trait != "check":
                self._done = self._success = True
            return f"The {family.machine} runs."
        if job.signed and action == family.works[job.which]:
            self._done, self._cause = True, "broke the machine where the rule does not apply"
            return "A pin shears and the machine is broken."
        return f"You {action}. Nothing happens."

    def _actions(self, job: WorkshopJob) -> tuple[str, ...]:
        if self._waited < job.wait:
            return ("wait",)
        if self._running:
            return (job.family.test, job.family.hand_over)
        return job.family.controls

    def _scene(self, job: WorkshopJob, effect: str) -> str:
        family = job.family
        if self._done:
            return effect
        if self._running:
            return f"{effect} {family.states[job.which]}."
        if self._waited < job.wait:
            return f"{effect} The {family.machine} is warming up and its panel is still dark."
        dust = [control.split(" the ", 1)[1] for control in job.dusty]
        sights = [
            effect,
            f"{family.states[job.which]}.",
            f"{family.sign}." if job.signed else "",
            f"Thick dust lies on the {', the '.join(dust)}." if dust else "",
        ]
        return " ".join(sight for sight in sights if sight)
