"""Which kinds of damage the rules can do to a memory that is known beforehand, and why not the others."""

from dataclasses import dataclass

from memtrial.agents.slot import Slot
from memtrial.ledger.random_streams import named_generator
from memtrial.perturbations.damage_contract import NO_CONTEXT, NotApplicable
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_book import DraftBook
from memtrial.protocols import Perturbation
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.damage_writers import damage_writers


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
