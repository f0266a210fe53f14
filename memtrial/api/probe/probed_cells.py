"""The texts of memory that a decision is asked with: one cell each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memtrial.agents.slot import NOTHING, Slot
from memtrial.api.probe.recorded_decision import RecordedDecision, find_instead
from memtrial.api.probe.run_decisions import know_actions, list_actions
from memtrial.faults import SpecFault
from memtrial.ledger.random_streams import named_generator
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.perturbations.composite import JOINT, compose
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.damage_contract import DamageContext, NotApplicable
from memtrial.perturbations.kinds import ALL, NAMED
from memtrial.perturbations.manipulation_check import check_damage
from memtrial.protocols import Perturbation

USUAL = (WITHOUT, CorruptInvert().name, Counter().name)
"""What is asked unless conditions are named: whether memory moves what is done, its polarity, its content."""
MOST_DONORS = 40


@dataclass(frozen=True, slots=True)
class ProbedCell:
    """A text in the place of the memory.

    Args:
        condition: `intact`, the damage, or `without`; empty where an item is left out.
        item: position of the item that is left out; None for none.
        text: empty where memory is taken away.
    """

    condition: str
    item: int | None
    text: str


def list_cells(decision: RecordedDecision, conditions: Sequence[str]) -> tuple[ProbedCell, ...]:
    """The cells of a decision, the intact one first. A condition without a text of its own has none."""
    cells = [ProbedCell(INTACT, None, decision.text)]
    for condition in conditions:
        text = "" if condition == WITHOUT else decision.texts.get(condition, "")
        if text or (condition == WITHOUT and decision.removable):
            cells.append(ProbedCell(condition, None, text))
    cells += [ProbedCell("", item, decision.leave_out(item)) for item in decision.items]
    return tuple(cells)


def find_kinds(names: Iterable[str]) -> dict[str, Perturbation | None]:
    """The kind of each condition; None for one that only a run itself can have made.

    Raises:
        SpecFault: `intact` is named, or a name is none of a kind.
    """
    shipped = {kind.name: kind for kind in NAMED}
    kinds: dict[str, Perturbation | None] = {}
    for name in names:
        if name == INTACT:
            raise SpecFault("the intact memory is always asked; --conditions names what it is held against")
        if JOINT in name:
            try:
                kinds[name] = compose(name, ALL)
            except ValueError as fault:
                raise SpecFault(f"--conditions: {fault}") from fault
        else:
            kinds[name] = shipped.get(name)
    return kinds


def damage_decisions(
    decisions: Sequence[RecordedDecision], kinds: Mapping[str, Perturbation | None], seed: int
) -> tuple[tuple[RecordedDecision, ...], dict[str, str]]:
    """The decisions with the texts of all kinds, those that were recorded as they are, others made by rules.

    Damage that fails its own check is not shown.

    Returns: the decisions, and by condition why it could not be made, where it could not be anywhere.
    """
    made: dict[tuple[str, Slot], str] = {}
    reasons: dict[str, str] = {}
    slots = list(dict.fromkeys(decision.slot for decision in decisions))
    whole = []
    for decision in decisions:
        texts = dict(decision.texts)
        for name, kind in kinds.items():
            if name == WITHOUT or texts.get(name):
                continue
            if kind is None:
                reasons.setdefault(name, "no text of it was recorded, and no rule makes it")
                continue
            key = name, decision.slot
            if key not in made:
                made[key], why = _damage(decision, kind, slots, seed)
                if why:
                    reasons.setdefault(name, why)
            texts[name] = made[key]
        countered = texts.get(Counter().name, "").removeprefix(decision.slot.cue).strip()
        known = know_actions(decision.choices or list_actions(decision.messages[-1].text))
        instead = decision.instead or find_instead(decision.due, countered, known)
        whole.append(replace(decision, texts=texts, instead=instead))
    lacking = {
        name: reasons[name] for name in reasons if not any(decision.texts.get(name) for decision in whole)
    }
    return tuple(whole), lacking


def _damage(
    decision: RecordedDecision, kind: Perturbation, slots: Sequence[Slot], seed: int
) -> tuple[str, str]:
    """The damaged text, or nothing and why."""
    slot = decision.slot
    place = slots.index(slot)
    order = named_generator(seed, "probe donor", place).permutation(len(slots)).tolist()
    donors = [slots[number] for number in order if slots[number] != slot][:MOST_DONORS]
    known = know_actions(decision.choices or list_actions(decision.messages[-1].text))
    context = DamageContext(tuple(donors) or (NOTHING,), known)
    done = kind.apply(slot, named_generator(seed, kind.aim.declared.draws_as or kind.name, place), context)
    if isinstance(done, NotApplicable):
        return "", done.reason
    verdict = check_damage(kind, slot, done, known)
    return (decision.write(done.slot), "") if verdict.passed else ("", f"its check fails: {verdict.reason}")
