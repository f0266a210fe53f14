"""The workshop's tasks: a family, a product, a bay, and what is odd about it."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import default_rng

from loadbearing.environments.workshop.families import Family
from loadbearing.environments.world import Split, Task

EXCEPTION_SHARE = 0.25
RESEMBLING_SHARE = 0.1
MAX_WAIT = 3
# where and when: no part of any rule, but what makes one task's text more like another's
HALLS = ("east", "west", "upper", "lower", "old", "new")
SHIFTS = ("early shift", "late shift", "night shift", "weekend")


@dataclass(frozen=True, slots=True)
class Job:
    """One task with what only the world knows.

    Args:
        which: index of the product and so of the decisive state.
        signed: the family's sign shows and its rule does not apply.
        wait: turns until the state shows.
        dusty: controls that nobody has used for years; never the one that works.
    """

    task: Task
    family: Family
    which: int
    signed: bool
    wait: int
    dusty: tuple[str, ...]

    @property
    def works(self) -> str:
        """The action that starts the machine in this task."""
        return self.family.exception if self.signed else self.family.works[self.which]

    @property
    def path(self) -> tuple[str, ...]:
        """Actions that solve the task."""
        end = (self.family.test, self.family.hand_over) if self.family.trait == "check" else ()
        return ("wait",) * self.wait + (self.works, *end)


def draw_jobs(families: tuple[Family, ...], seed: int, split: Split, n: int) -> dict[str, Job]:
    """`n` jobs of one split by task id, spread evenly over families and products."""
    rng = default_rng([seed, 2 if split == "train" else 3])
    jobs: dict[str, Job] = {}
    for number in range(n):
        position = number % len(families)
        family = families[position]
        which = (number // len(families)) % 2
        signed = family.trait == "exception" and bool(rng.random() < EXCEPTION_SHARE)
        wait = int(rng.integers(2, MAX_WAIT + 1)) if family.trait == "delayed" else 0
        product = family.products[which]
        if rng.random() < RESEMBLING_SHARE:
            # the goal names what another family makes: a reader of queries alone is drawn to that family
            other = families[(position + 1 + int(rng.integers(len(families) - 1))) % len(families)]
            product = other.products[int(rng.integers(2))]
        hall, shift = HALLS[int(rng.integers(len(HALLS)))], SHIFTS[int(rng.integers(len(SHIFTS)))]
        bay = int(rng.integers(10, 100))
        where, when = f"in bay {bay} of the {hall} hall", f"by the {shift}"
        task = Task(
            id=f"workshop-{split}-{number}",
            query=f"Get the {family.machine} {where} running for {product} {when}.",
            family=family.machine,
            template=f"{family.machine}/{product}",
            split=split,
        )
        works = family.exception if signed else family.works[which]
        idle = [c for c in family.controls if c not in (works, *family.works, family.exception)]
        dusty = tuple(rng.permutation(idle)[: len(family.controls) // 2].tolist()) if idle else ()
        jobs[task.id] = Job(task, family, which, signed, wait, dusty)
    return jobs
