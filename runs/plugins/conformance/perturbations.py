"""What every kind of damage keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.ledger.random_streams import fixed_generator
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.perturbation import Perturbation
from loadbearing.runs.plugins.conformance.fixtures import DONOR, ODD, SEED, SLOTS
from loadbearing.runs.plugins.conformance.law import Law, Seen, all_of

Make = Callable[[], Perturbation]


def it_applies_to_some_ordinary_slot(make: Make) -> Seen:
    """A kind that never applies measures nothing."""
    kind = make()
    reasons = [kind.why_not(slot, DONOR) for slot in SLOTS]
    n = reasons.count("")
    return n > 0, f"applies to {n} of {len(SLOTS)} slots" + (
        f"; else: {max(reasons)}" if n < len(SLOTS) else ""
    )


def same_seed_same_damage(make: Make) -> Seen:
    """Twice by one object, and once more by a fresh one."""
    kind, fresh = make(), make()
    wrong, n = [], 0
    for slot in _damaged(kind, SLOTS):
        n += 1
        one, again, other = (_damage(by, slot, SEED) for by in (kind, kind, fresh))
        if not one == again == other:
            wrong.append(f"{again.text[:60]!r} after {one.text[:60]!r}")
    return all_of(wrong, n, "slots damaged twice")


def the_old_slot_stays(make: Make) -> Seen:
    """The intact slot is shown in other cells of the same block."""
    kind = make()
    wrong, n = [], 0
    for slot in _damaged(kind, SLOTS):
        n += 1
        kept, donor = replace(slot), replace(DONOR)
        kind(slot, fixed_generator(SEED), donor)
        if (slot, donor) != (kept, DONOR):
            wrong.append(f"{kept.text[:60]!r} became {slot.text[:60]!r}")
    return all_of(wrong, n, "slots looked at again")


def the_number_of_items_stays(make: Make) -> Seen:
    """The i-th damaged text belongs to the i-th item; a kind that removes the block leaves none."""
    kind = make()
    wrong, n = [], 0
    for slot in _damaged(kind, (*SLOTS, *ODD)):
        n += 1
        after = _damage(kind, slot, SEED)
        if len(after.items) != (len(slot.items) if kind.aim.block else 0):
            wrong.append(f"{len(after.items)} items in the place of {len(slot.items)}")
    return all_of(wrong, n, "slots counted")


def the_check_holds_or_a_reason_is_said(make: Make) -> Seen:
    """Damage that applies and was not done stops a run before its first trial."""
    kind = make()
    wrong, n = [], 0
    for slot in _damaged(kind, (*SLOTS, *ODD)):
        n += 1
        verdict = check(kind, slot, _damage(kind, slot, SEED))
        if not verdict.passed:
            wrong.append(f"{verdict.reason}, for {slot.text[len(slot.cue) :][:60].strip()!r}")
    n_all = len(SLOTS) + len(ODD)
    passed, seen = all_of(wrong, n, "damaged slots checked")
    return passed, f"{seen}; {n_all - n} of {n_all} slots are not applicable"


def odd_slots_do_no_harm(make: Make) -> Seen:
    """Where it does not apply it promises nothing, but must not break; a donor may hold nothing."""
    kind = make()
    odd = [(slot, donor) for slot in ODD if slot.items for donor in (DONOR, NOTHING)]
    for slot, donor in odd:
        kind.why_not(slot, donor)
        kind(replace(slot), fixed_generator(SEED), replace(donor))
    return True, f"{len(odd)} odd slots tried"


def another_seed_may_differ(make: Make) -> Seen:
    """Information: whether there is chance in this kind."""
    kind = make()
    slots = list(_damaged(kind, SLOTS))
    n = sum(_damage(kind, slot, SEED) != _damage(kind, slot, SEED + 1) for slot in slots)
    return True, f"{n} of {len(slots)} slots differ under another seed"


LAWS: tuple[Law[Perturbation], ...] = (
    it_applies_to_some_ordinary_slot,
    same_seed_same_damage,
    the_old_slot_stays,
    the_number_of_items_stays,
    the_check_holds_or_a_reason_is_said,
    odd_slots_do_no_harm,
    another_seed_may_differ,
)


def _damaged(kind: Perturbation, slots: tuple[Slot, ...]) -> Iterator[Slot]:
    """Copies of the slots that can be damaged. An empty one is never: it counts as `without`."""
    return (replace(slot) for slot in slots if slot.items and not kind.why_not(slot, DONOR))


def _damage(kind: Perturbation, slot: Slot, seed: int) -> Slot:
    return kind(slot, fixed_generator(seed), replace(DONOR))
