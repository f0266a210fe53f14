"""Damage on its own, on anyone's items, with its manipulation check."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from itertools import islice
from pathlib import Path

from numpy.random import Generator

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.ledger.random_streams import named_generator
from loadbearing.memory.item import Item
from loadbearing.memory.markdown import render
from loadbearing.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, is_form
from loadbearing.perturbations.composite import JOINT, carried_out, composed, knowing
from loadbearing.perturbations.counter import Counter
from loadbearing.perturbations.manipulation import Check, check
from loadbearing.perturbations.members import ALL
from loadbearing.perturbations.perturbation import Perturbation
from loadbearing.reports.model.record import Record
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.library.items_file import read_slots, slots_in
from loadbearing.runs.trials.damage import MOST_DONORS

Items = str | Path | Iterable[Item]
"""Markdown or the output of condense as text, a file of it, or items."""


class DamagedSlot(Record):
    """One slot before and after damage, and whether the damage is what its kind must do."""

    kind: str
    seed: int
    before: str
    after: str
    applicable: bool
    passed: bool
    reason: str
    """Why it does not apply, or what its check misses; empty when it passed."""
    check: dict[str, str | int | float | bool]
    """What was measured; see `perturbations.manipulation.Check`."""


class Damaged(Record):
    """Damaged slots; a notebook shows them as the terminal does."""

    slots: tuple[DamagedSlot, ...]

    def lines(self) -> tuple[str, ...]:
        """What the terminal shows."""
        found: list[str] = []
        for number, one in enumerate(self.slots, 1):
            applies = "applicable" if one.applicable else f"not applicable: {one.reason}"
            found.append(f"--- slot {number}: {one.kind}, {applies}")
            if one.applicable:
                held = "holds" if one.passed else f"FAILS: {one.reason}"
                found += [one.after, f"--- check {held}: {json.dumps(one.check)}"]
        return tuple(found)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(chr(10).join(self.lines()))}</pre>"


def perturb(
    items: Items, kind: str, seed: int = 0, *, donors: Items = (), actions: Iterable[str] = ()
) -> Damaged:
    """Damage memory items and check the damage.

    Args:
        items: to damage; items given as objects, or as one markdown text, are one slot.
        kind: a perturbation by name, or several joined by `+`.
        seed: the same seed gives the same damage.
        donors: more items to take foreign text from.
        actions: what the world accepts, an action or a command form each; `counter` puts one for another.

    Raises:
        SpecFault: there is no such kind, or items cannot be read.
    """
    chosen = knowing(_named(kind), _known(actions))
    slots = _slots(items)
    foreign = slots + _slots(donors)
    return Damaged(slots=tuple(_damaged(chosen, one, at, foreign, seed) for at, one in enumerate(slots)))


def _slots(items: Items) -> tuple[Slot, ...]:
    if isinstance(items, Path):
        return read_slots(items)
    if isinstance(items, str):
        return slots_in(items, "the text")
    texts = tuple(render(item, number) for number, item in enumerate(items, 1))
    return (Slot("", texts),) if texts else ()


def _named(kind: str) -> Perturbation:
    if JOINT in kind:
        try:
            return composed(kind, ALL)
        except ValueError as fault:
            raise SpecFault(str(fault)) from fault
    named = [one for one in ALL if one.name == kind]
    if not named:
        raise SpecFault(f"no perturbation is named {kind!r}; there are {', '.join(one.name for one in ALL)}")
    return named[0]


def _known(actions: Iterable[str]) -> Repertoire:
    lines = tuple(dict.fromkeys(line.strip().removeprefix("- ") for line in actions if line.strip()))
    if not lines:
        return NOTHING_KNOWN
    forms = tuple(line for line in lines if is_form(line))
    return Repertoire((tuple(line for line in lines if line not in forms),), forms)


def _damaged(
    kind: Perturbation, slot: Slot, number: int, foreign: tuple[Slot, ...], seed: int
) -> DamagedSlot:
    order = named_generator(seed, "donor", number).permutation(len(foreign))
    others = (foreign[position] for position in order if foreign[position] != slot)
    candidates = list(islice(others, MOST_DONORS)) or [NOTHING]

    def rng(part: Perturbation) -> Generator:
        return named_generator(seed, part.name, number)

    done = carried_out(kind, slot, candidates, rng)
    if done.after is not None:
        verdict = check(done.kind, done.before, done.after)
        return _row(kind, seed, (slot, done.after), verdict, verdict.reason)
    unknown = isinstance(done.kind, Counter) and not done.kind.known.known
    hint = "; --actions FILE says what the world accepts" if unknown and slot.items else ""
    return _row(kind, seed, (slot, None), check(kind, slot, slot), f"{done.why_not}{hint}")


def _row(
    kind: Perturbation, seed: int, slots: tuple[Slot, Slot | None], measured: Check, reason: str
) -> DamagedSlot:
    """The row of a slot and, where the damage applies, the slot after it."""
    before, after = slots
    return DamagedSlot(
        kind=kind.name,
        seed=seed,
        before=before.text,
        after=(after or before).text,
        applicable=after is not None,
        passed=after is not None and measured.passed,
        reason=reason,
        check=measured.to_json(),
    )
