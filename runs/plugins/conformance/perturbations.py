"""What every kind of damage must do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.ledger.random_streams import fixed_generator
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.perturbation import Perturbation
from loadbearing.runs.plugins.conformance.fixtures import DONOR, ODD, SEED, SLOTS
from loadbearing.runs.plugins.conformance.law import Law, Seen

Make = Callable[[], Perturbation]
Wrong = Callable[[Make, Perturbation, Slot], str]
"""What is wrong with one object's damage to one slot; empty where nothing is."""


def _applies(make: Make) -> Seen:
    """A kind that never applies measures nothing."""
    reasons = [make().why_not(slot, DONOR) for slot in SLOTS]
    n = reasons.count("")
    note = f"applies to {n} of {len(SLOTS)} slots" + (f"; else: {max(reasons)}" if n < len(SLOTS) else "")
    return Seen([] if n else [note], note)


def _unstable(make: Make, kind: Perturbation, slot: Slot) -> str:
    """Twice by one object, and once more by a fresh one."""
    one, again, fresh = (_damage(by, slot) for by in (kind, kind, make()))
    return "" if one == again == fresh else f"{again.text[:60]!r} after {one.text[:60]!r}"


def _changed(make: Make, kind: Perturbation, slot: Slot) -> str:  # noqa: ARG001
    """The intact slot is shown in other cells of the same block."""
    before, donor = replace(slot), replace(DONOR)
    kind(slot, fixed_generator(SEED), donor)
    return "" if (slot, donor) == (before, DONOR) else f"{before.text[:60]!r} became {slot.text[:60]!r}"


def _miscounted(make: Make, kind: Perturbation, slot: Slot) -> str:  # noqa: ARG001
    """The i-th damaged text belongs to the i-th item; a kind that removes the block leaves none."""
    n, needed = len(_damage(kind, slot).items), len(slot.items) if kind.aim.block else 0
    return "" if n == needed else f"{n} items in the place of {len(slot.items)}"


def _unchecked(make: Make, kind: Perturbation, slot: Slot) -> str:  # noqa: ARG001
    """Damage that applies and was not done stops a run before its first trial."""
    verdict = check(kind, slot, _damage(kind, slot))
    return "" if verdict.passed else f"{verdict.reason}, for {slot.text[len(slot.cue) :][:60].strip()!r}"


def _odd_slots(make: Make) -> Seen:
    """Where it does not apply it promises nothing, but must not break; a donor may hold nothing."""
    kind = make()
    odd = [(slot, donor) for slot in ODD if slot.items for donor in (DONOR, NOTHING)]
    for slot, donor in odd:
        kind.why_not(slot, donor)
        kind(replace(slot), fixed_generator(SEED), replace(donor))
    return Seen([""] * len(odd))


def _chance(make: Make) -> Seen:
    """Information: whether the seed matters to this kind."""
    kind = make()
    slots = _applicable(kind, SLOTS)
    n = sum(_damage(kind, slot) != _damage(kind, slot, SEED + 1) for slot in slots)
    return Seen([], f"{n} of {len(slots)} slots differ under another seed")


def _each(wrong: Wrong, slots: tuple[Slot, ...] = SLOTS) -> Callable[[Make], Seen]:
    def look(make: Make) -> Seen:
        kind = make()
        cases = [wrong(make, kind, slot) for slot in _applicable(kind, slots)]
        n_not = len(slots) - len(cases)
        return Seen(cases, f"{n_not} of {len(slots)} slots are not applicable" if n_not else "")

    return look


LAWS: tuple[Law[Perturbation], ...] = (
    Law("it applies to some ordinary slot", "", _applies),
    Law("same seed same damage", "slots damaged twice", _each(_unstable)),
    Law("the old slot stays", "slots read again", _each(_changed)),
    Law("the number of items stays", "slots counted", _each(_miscounted, (*SLOTS, *ODD))),
    Law("the check holds or a reason is said", "damaged slots checked", _each(_unchecked, (*SLOTS, *ODD))),
    Law("odd slots do no harm", "odd slots tried", _odd_slots),
    Law("another seed may differ", "", _chance),
)


def _applicable(kind: Perturbation, slots: tuple[Slot, ...]) -> list[Slot]:
    """Copies of the slots that can be damaged. An empty one is never: it counts as `without`."""
    return [replace(slot) for slot in slots if slot.items and not kind.why_not(slot, DONOR)]


def _damage(kind: Perturbation, slot: Slot, seed: int = SEED) -> Slot:
    return kind(slot, fixed_generator(seed), replace(DONOR))
