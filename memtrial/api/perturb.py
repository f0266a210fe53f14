"""Damage on its own, on anyone's items, with its manipulation check."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path

from pydantic import BaseModel, ValidationError

from memtrial.agents.slot import NOTHING, Slot
from memtrial.api.damage_models import DamageModels, write_all
from memtrial.faults import SpecFault, refused
from memtrial.ledger.random_streams import named_generator
from memtrial.memory.item import Item
from memtrial.memory.markdown import render, split_items
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.given_path import path_of
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, is_form
from memtrial.perturbations.composite import JOINT, compose
from memtrial.perturbations.damage_contract import DamageContext, Damaged
from memtrial.perturbations.kinds import ALL, NAMED
from memtrial.perturbations.language.fluency import Fluency
from memtrial.perturbations.manipulation_check import Figure, check
from memtrial.perturbations.written.draft_book import RULES, DraftBook
from memtrial.prompts.plain_text import text_of
from memtrial.protocols import Perturbation
from memtrial.result_record import ResultRecord
from memtrial.runs.spec.option_values import plain_value, seed_value
from memtrial.runs.trials.foreign_slots import MOST_DONORS
from memtrial.transcripts.log_formats import say_for_items

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
    written_by: str = RULES
    """The model, or `rules`; empty where the kind is not applicable."""
    vouched_by: str = ""
    """The judge that read what a model wrote."""
    tries: int = 0
    """Drafts that a model was asked for."""
    by_rules_because: str = ""
    """Why the rules wrote, where a model was asked."""
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
            if damage.tries and damage.applicable:
                applies += f"; written by {damage.written_by}, {how_many(damage.tries, 'draft')}"
            if damage.by_rules_because and damage.applicable:
                applies += f"; the last draft of the model: {damage.by_rules_because}"
            yield f"--- slot {number}: {damage.kind}, {applies}"
            if damage.applicable:
                held = "holds" if damage.passed else f"FAILS: {damage.reason}"
                yield from (damage.after, f"--- check {held}: {json.dumps(damage.check)}")
                if lines := damage.check.get("left_standing"):
                    yield f"--- stands as it did, since it tells nobody to do anything: {lines}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(chr(10).join(self.lines()))}</pre>"


def perturb(
    items: Items,
    kind: str,
    seed: int = 0,
    *,
    donors: Items = (),
    actions: Iterable[str] = (),
    model: str | None = None,
    judge: str | None = None,
) -> DamagedSlots:
    """Damage memory items and check the damage.

    Args:
        items: to damage; items given as objects, or as one markdown text, are one slot.
        kind: a perturbation by name, or several joined by `+`.
        seed: the same seed gives the same damage.
        donors: more items to take foreign text from.
        actions: what the world accepts, an action or a command form each; `counter` puts one for another.

        model: writes corrupt_invert, counter, paraphrase, corrupt_mask or oddity+corrupt_invert;
            provider/name; rules do unless named. Where no draft is accepted the rules write, but for
            counter and paraphrase.
        judge: reads what it writes, blind; by default the model.

    Raises:
        SpecFault: there is no such kind, items cannot be read, or a model cannot do this; nothing was sent.
        RunFault: a model could not be had.
    """
    if model is None and judge is not None:
        raise SpecFault("a judge reads what a model writes; name the model as well, or leave the judge out")
    models = None if model is None else DamageModels(*_name_writers(model, judge))
    return damage_items(items, kind, seed, donors, actions, models)


def _name_writers(model: str, judge: str | None) -> tuple[str, str | None]:
    return plain_value("model", model, str), None if judge is None else plain_value("judge", judge, str)


def damage_items(
    items: Items,
    kind: str,
    seed: int,
    donors: Items,
    actions: Iterable[str],
    models: DamageModels | None,
) -> DamagedSlots:
    """What `perturb` gives, with models that are named in full."""
    seed = seed_value(seed)
    chosen, known = _find_kind(plain_value("kind", kind, str)), _repertoire_of(actions)
    slots = read_slots(items)
    foreign = slots + read_slots(donors, "--donors")
    fluency = Fluency({str(number): damage.items for number, damage in enumerate(foreign)})
    drafts = DraftBook() if models is None else write_all(chosen, slots, known, models)
    setting = _SlotSetting(chosen, foreign, known, seed, fluency, drafts)
    return DamagedSlots(slots=tuple(_damage(setting, slot, number) for number, slot in enumerate(slots)))


def read_slots(items: Items, name: str = "ITEMS") -> tuple[Slot, ...]:
    """One a line of condense's output, one for a whole text of markdown."""
    needed = f"{name} needs markdown or the output of condense"
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
            looks = say_for_items(items) if isinstance(items, Path) else ""
            raise SpecFault(
                f"{where}, line {number}: markdown is needed, or a JSON object with a list of items, which"
                f" have markdown; {looks or fault.errors()[0]['msg']}"
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


@dataclass(frozen=True, slots=True)
class _SlotSetting:
    """What the damage of every slot has in common."""

    kind: Perturbation
    foreign: tuple[Slot, ...]
    known: Repertoire
    seed: int
    fluency: Fluency
    drafts: DraftBook


def _damage(setting: _SlotSetting, slot: Slot, number: int) -> DamagedSlot:
    kind, known, foreign, drafts = setting.kind, setting.known, setting.foreign, setting.drafts
    order = named_generator(setting.seed, "donor", number).permutation(len(foreign))
    others = (foreign[position] for position in order if foreign[position] != slot)
    donors = tuple(islice(others, MOST_DONORS)) or (NOTHING,)
    context = DamageContext(donors, known, drafts.texts, drafts.refusals)
    name = kind.aim.declared.part or kind.name
    done = context.find_written(kind.name, slot) or kind.apply(
        slot, named_generator(setting.seed, kind.aim.declared.draws_as or name, number), context
    )
    if isinstance(done, Damaged):
        measured = drafts.check(kind, slot, done, known)
        distance = setting.fluency.distance((done.before or slot).items, done.slot.items)
        reason, after, applies = measured.reason, done.slot, True
    else:
        measured = check(kind, slot, slot, known)
        distance, reason, after, applies = None, done.reason, slot, False
        asked = kind.aim.advice == "exchanged" and not known.known
        if slot.items and asked and not drafts.slots:
            reason += "; --actions FILE says what the world accepts"
    source = drafts.source_of(name, slot)
    return DamagedSlot(
        kind=kind.name,
        seed=setting.seed,
        before=slot.text,
        after=after.text,
        applicable=applies,
        passed=applies and measured.passed,
        reason=reason,
        check=measured.to_json() | ({} if distance is None else {"fluency_distance": distance}),
        **(source if applies else {"written_by": "", "tries": source.get("tries", 0)}),
    )
