"""Which kinds of damage the rules can do to a memory that is known beforehand, and why not the others."""

from collections.abc import Iterator
from dataclasses import dataclass

from memtrial.agents.slot import Slot
from memtrial.ledger.random_streams import named_generator
from memtrial.perturbations.damage_contract import NO_CONTEXT, NotApplicable
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_book import DraftBook
from memtrial.plugins.given_memory import TextMemory
from memtrial.protocols import Perturbation
from memtrial.runs.setup.preflight import Experiment, nobody_asked
from memtrial.runs.spec.damage_writers import damage_writers

BY_ROLE = "What the rules leave out a model can often write: roles: {perturber: MODEL, judge: MODEL}."


@dataclass(frozen=True, slots=True)
class ApplicableDamage:
    """Of one arm's memory, the same for every task.

    Args:
        played: conditions that apply.
        inapplicable: why not the others, by condition.
        by_model: conditions that a model is to write; whether it can is known when it has.
    """

    played: tuple[str, ...]
    inapplicable: dict[str, str]
    by_model: tuple[str, ...]


def find_applicable(experiment: Experiment, arm: str, items: tuple[str, ...]) -> ApplicableDamage:
    """Do every kind of the arm's damage to its items once, as the first block would. Asks no model."""
    slot, kinds = Slot(experiment.cue.text, items), experiment.design.damages[arm]
    writes = damage_writers(experiment.spec).model is not None
    by_model = tuple(kind.name for kind in kinds if writes and kind.name in CLAIMS)
    reasons = {
        kind.name: _why_not(experiment.spec.seed, slot, kind) for kind in kinds if kind.name not in by_model
    }
    inapplicable = {name: why for name, why in reasons.items() if why}
    return ApplicableDamage(tuple(name for name, why in reasons.items() if not why), inapplicable, by_model)


def unplayed_lines(experiment: Experiment) -> Iterator[str]:
    """A sentence on each kind of damage that fits a memory given as a text in no task, and a hint."""
    lines = [
        f"Not played: {name} of {arm}: {why}."
        for arm, items in _texts_given(experiment)
        for name, why in find_applicable(experiment, arm, items).inapplicable.items()
    ]
    yield from lines
    if lines and damage_writers(experiment.spec).model is None:
        yield BY_ROLE


def _texts_given(experiment: Experiment) -> Iterator[tuple[str, tuple[str, ...]]]:
    """By arm the items of memories that are the same in every task."""
    design, spec = experiment.design, experiment.spec
    for arm in design.arms:
        if arm.memory in design.systems:
            memory = experiment.given.open_memory(arm.memory, nobody_asked(), spec)
            if isinstance(memory, TextMemory):
                yield arm.name, memory.items


def _why_not(seed: int, slot: Slot, kind: Perturbation) -> str:
    """Why it does not apply; empty where it does."""
    declared = kind.aim.declared
    rng = named_generator(seed, declared.draws_as or declared.part or kind.name, 0, 0)
    done = kind.apply(slot, rng, NO_CONTEXT)
    if isinstance(done, NotApplicable):
        return done.reason
    book = DraftBook()
    verdict = book.check(kind, slot, done, NO_CONTEXT.known)
    return "" if verdict.passed else f"what the rules make of it fails the check: {verdict.reason}"
