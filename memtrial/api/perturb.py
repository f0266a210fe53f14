"""Damage on its own, on anyone's items, with its manipulation check."""

import json
from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from pathlib import Path

from pydantic import BaseModel, ValidationError

from memtrial.agents.slot import NOTHING, Slot
from memtrial.faults import SpecFault, refused
from memtrial.ledger.random_streams import named_generator
from memtrial.memory.item import Item
from memtrial.memory.markdown import render, split_items
from memtrial.outcomes.given_path import path_of
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, is_form
from memtrial.perturbations.composite import JOINT, compose
from memtrial.perturbations.damage_contract import DamageContext, Damaged
from memtrial.perturbations.kinds import ALL, NAMED
from memtrial.perturbations.language.fluency import Fluency
from memtrial.perturbations.manipulation_check import Figure, check, check_damage
from memtrial.prompts.plain_text import text_of
from memtrial.protocols import Perturbation
from memtrial.result_record import ResultRecord
from memtrial.runs.spec.option_values import plain_value, seed_value
from memtrial.runs.trials.slot_damage import MOST_DONORS

Items = str | Path | Iterable[Item]
"""Markdown or the output of condense as text, a file of it, or items."""


class _CondensedItem(BaseModel):
    markdown: str


class _CondensedLine(BaseModel):
    """A line that condense wrote."""

    items: tuple[_CondensedItem, ...]


class DamagedSlot(ResultRecord):
    """One slot before and after damage, and whether the damage is what its kind must do."""

    kind: str
    seed: int
    before: str
    after: str
    applicable: bool
    passed: bool
    reason: str
    """Why it does not apply, or what its check misses; empty when it passed."""
    check: dict[str, Figure]
    """What was measured, see `ManipulationCheck`; where there are other slots or donors to learn from
    also the `fluency_distance`, see `perturbations.language.fluency`."""


class DamagedSlots(ResultRecord):
    """Damaged slots; a notebook shows them as the terminal does."""

    slots: tuple[DamagedSlot, ...]

    def lines(self) -> Iterator[str]:
        """What the terminal shows."""
        for number, damage in enumerate(self.slots, 1):
            applies = "applicable" if damage.applicable else f"not applicable: {damage.reason}"
            yield f"--- slot {number}: {damage.kind}, {applies}"
            if damage.applicable:
                held = "holds" if damage.passed else f"FAILS: {damage.reason}"
                yield from (damage.after, f"--- check {held}: {json.dumps(damage.check)}")

    def _repr_html_(self) -> str:
        return f"<pre>{escape(chr(10).join(self.lines()))}</pre>"


def perturb(
    items: Items, kind: str, seed: int = 0, *, donors: Items = (), actions: Iterable[str] = ()
) -> DamagedSlots:
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
    seed = seed_value(seed)
    chosen, known = _find_kind(plain_value("kind", kind, str)), _repertoire_of(actions)
    slots = _slots(items)
    foreign = slots + _slots(donors)
    fluency = Fluency({str(number): damage.items for number, damage in enumerate(foreign)})
    return DamagedSlots(
        slots=tuple(
            _damage(chosen, slot, number, foreign, known, seed, fluency) for number, slot in enumerate(slots)
        )
    )


def _slots(items: Items) -> tuple[Slot, ...]:
    """One a line of condense's output, one for a whole text of markdown."""
    needed = "ITEMS needs markdown or the output of condense"
    if isinstance(items, Path):
        path_of(items, needed, SpecFault)
    elif not isinstance(items, str):
        given = tuple(items) if isinstance(items, Iterable) else (items,)
        if not all(isinstance(item, Item) for item in given):
            raise SpecFault(f"{needed}, or items; got {type(items).__name__}")
        texts = tuple(render(item, number) for number, item in enumerate(given, 1))
        return (Slot("", texts),) if texts else ()
    text = items if isinstance(items, str) else text_of(items, needed, SpecFault)
    where = "the text" if isinstance(items, str) else str(items)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise SpecFault(f"{needed}; {where} is empty")
    if not lines[0][1].lstrip().startswith("{"):
        return (Slot("", split_items(text)),)
    slots = []
    for number, line in lines:
        try:
            condensed = _CondensedLine.model_validate_json(line).items
        except ValidationError as fault:
            raise SpecFault(
                f"{where}, line {number}: markdown is needed, or a JSON object with a list of items, which"
                f" have markdown; {fault.errors()[0]['msg']}"
            ) from fault
        slots.append(Slot("", tuple(item.markdown for item in condensed)))
    return tuple(slot for slot in slots if slot.items)


def _find_kind(kind: str) -> Perturbation:
    named = {kind.name: kind for kind in NAMED}
    if JOINT not in kind and kind not in named:
        raise SpecFault(f"no perturbation is named {kind!r}; there are {', '.join(named)}")
    with refused(ValueError):
        return compose(kind, ALL) if JOINT in kind else named[kind]


def _repertoire_of(actions: Iterable[str]) -> Repertoire:
    given = (
        tuple(actions) if isinstance(actions, Iterable) and not isinstance(actions, str | dict) else actions
    )
    actions = plain_value("actions", given, tuple[str, ...])
    lines = tuple(dict.fromkeys(line.strip().removeprefix("- ") for line in actions if line.strip()))
    forms = tuple(line for line in lines if is_form(line))
    return (
        Repertoire((tuple(line for line in lines if line not in forms),), forms) if lines else NOTHING_KNOWN
    )


def _damage(
    kind: Perturbation,
    slot: Slot,
    number: int,
    foreign: tuple[Slot, ...],
    known: Repertoire,
    seed: int,
    fluency: Fluency,
) -> DamagedSlot:
    order = named_generator(seed, "donor", number).permutation(len(foreign))
    others = (foreign[position] for position in order if foreign[position] != slot)
    context = DamageContext(tuple(islice(others, MOST_DONORS)) or (NOTHING,), known)
    done = kind.apply(slot, named_generator(seed, kind.aim.declared.part or kind.name, number), context)
    if isinstance(done, Damaged):
        measured = check_damage(kind, slot, done, known)
        distance = fluency.distance((done.before or slot).items, done.slot.items)
        reason, after, applies = measured.reason, done.slot, True
    else:
        measured = check(kind, slot, slot, known)
        distance, reason, after, applies = None, done.reason, slot, False
        if slot.items and kind.aim.advice == "exchanged" and not known.known:
            reason += "; --actions FILE says what the world accepts"
    return DamagedSlot(
        kind=kind.name,
        seed=seed,
        before=slot.text,
        after=after.text,
        applicable=applies,
        passed=applies and measured.passed,
        reason=reason,
        check=measured.to_json() | ({} if distance is None else {"fluency_distance": distance}),
    )
