"""The scenarios as a world: the plan is made decision by decision, then the work is carried out.

Every variant has causes of failure that habit runs into and a lesson prevents. That shows whether a lesson in
memory reaches the work; the work is simulated, and its numbers say nothing of any real shop or database.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from numpy.random import default_rng

from memtrial.worlds.scenarios.bulk_csv import BULK_CSV
from memtrial.worlds.scenarios.deployment import DEPLOYMENT
from memtrial.worlds.scenarios.migration import MIGRATION
from memtrial.worlds.scenarios.payments import PAYMENTS
from memtrial.worlds.scenarios.scenario import RunReport, Scenario, Sign, carry_out
from memtrial.worlds.scenarios.scraping import SCRAPING
from memtrial.worlds.world import Outcome, Split, State, Task, Truth

VERSION = 1  # goes up with every change of what the world says or does
SCENARIOS: tuple[Scenario, ...] = (SCRAPING, PAYMENTS, MIGRATION, BULK_CSV, DEPLOYMENT)
RULES = """You plan a piece of work, one decision a turn, and then it is carried out. A decision cannot be \
taken back. Name one way of the list, word for word."""
SPARE = 2
"""Turns beyond the decisions, for answers that are none of the list."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One task with what only the world knows."""

    task: Task
    scenario: Scenario
    signs: tuple[Sign, ...]
    size: int


def draw_variants(seed: int, split: Split, n: int) -> dict[str, Variant]:
    """`n` variants of one split by task id, scenario by turns; the seed draws signs, size and place."""
    rng = default_rng([seed, 2 if split == "train" else 3])
    variants: dict[str, Variant] = {}
    for number in range(n):
        scenario = SCENARIOS[number % len(SCENARIOS)]
        mix = int(rng.integers(len(scenario.mixes)))
        size = scenario.sizes[int(rng.integers(len(scenario.sizes)))]
        place = scenario.places[int(rng.integers(len(scenario.places)))]
        task = Task(
            id=f"scenario-{split}-{number}",
            query=scenario.brief.format(size=f"{size:,}", place=place),
            family=scenario.name,
            template=f"{scenario.name}/{mix}",
            split=split,
        )
        variants[task.id] = Variant(task, scenario, scenario.mixes[mix], size)
    return variants


class Scenarios:
    """Five kinds of work, in variants from a seed. Success is all of the work; the score the share done."""

    name = "scenarios"
    rules = RULES
    blocking = False

    def __init__(self, seed: int, n_train: int = 40, n_test: int = 60) -> None:
        self._variants: dict[Split, dict[str, Variant]] = {
            "train": draw_variants(seed, "train", n_train),
            "test": draw_variants(seed, "test", n_test),
        }
        self._variant: Variant | None = None
        self._plan: tuple[str, ...] = ()
        self._report: RunReport | None = None

    @cached_property
    def digest(self) -> str:
        """Of all tasks with their signs."""
        described = [
            [task_id, each.task.query, [sign.shown for sign in each.signs], each.scenario.rules, each.size]
            for variants in self._variants.values()
            for task_id, each in variants.items()
        ]
        return sha256(json.dumps([VERSION, RULES, described], default=repr).encode()).hexdigest()

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return tuple(variant.task for variant in self._variants[split].values())

    def step_limit(self, task: Task) -> int:
        """A turn for each decision, and SPARE."""
        return len(self._variants[task.split][task.id].signs) + SPARE

    def reset(self, task: Task) -> State:
        self._variant, self._plan, self._report = self._variants[task.split][task.id], (), None
        return self._look(self._variant, "You look at what there is.")

    def step(self, action: str) -> State:
        """Take one decision; the last one has the work carried out."""
        variant = self._variant
        if variant is None:
            raise ValueError("step needs a task: call reset(task) first")
        if self._report is not None:
            return State("You are done here: the work was carried out.", done=True, refused=True)
        way = action.strip().strip(".").lower()
        if way not in variant.scenario.decisions[len(self._plan)].ways:
            return self._look(variant, "You name a way that is not on the list.", refused=True)
        self._plan += (way,)
        if len(self._plan) < len(variant.signs):
            return self._look(variant, f"You decide to {way}.")
        self._report = carry_out(variant.signs, self._plan, variant.size)
        return State(describe_run(variant, self._report), done=True)

    @property
    def report(self) -> RunReport | None:
        """What came of the plan; None before it was carried out."""
        return self._report

    def outcome(self) -> Outcome:
        """The cause is the first failure, in the words of its symptom."""
        report = self._report
        if report is None:
            return Outcome(False, 0.0)
        return Outcome(report.cause is None, report.share, report.cause.symptom if report.cause else "")

    def ground_truth(self, task: Task) -> Truth:
        """The lessons of this variant, and its plan; the further ones are those of the other signs."""
        variant = self._variants[task.split][task.id]
        own = tuple(sign.rule for sign in variant.signs)
        further = (*own[1:], *(rule for rule in variant.scenario.rules if rule not in own))
        lesson = " ".join(f"When {rule.situation}, {rule.action}." for rule in own)
        return Truth(lesson, tuple(sign.works for sign in variant.signs), own[0], further)

    def close(self) -> None:
        """Nothing is held."""

    def _look(self, variant: Variant, before: str, refused: bool = False) -> State:
        """The sign of the next decision, and the ways that are open."""
        place = len(self._plan)
        shown = (
            f"{before} {variant.signs[place].shown}. Take one of the ways that are listed, which is what will"
            " be carried out in the end."
        )
        return State(shown, variant.scenario.decisions[place].ways, refused=refused)


def describe_run(variant: Variant, report: RunReport) -> str:
    """What the run says: how much was done, and the first thing that went wrong."""
    done = f"{report.done:,} of {report.size:,} {variant.scenario.unit} are done"
    return f"The work is complete: {done}." if report.cause is None else f"{done}: {report.cause.symptom}."
