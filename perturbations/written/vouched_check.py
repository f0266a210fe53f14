"""The manipulation check of a text that a judge vouched for.

What a program can prove is asked of it again, and the judge's word is held against the two texts again; flips
are counted, and not required.
"""

from collections.abc import Sequence
from dataclasses import replace

from memtrial.agents.slot import Slot
from memtrial.judges.advice_comparison import AdviceComparison, find_fault
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.damage_contract import Damaged, Items
from memtrial.perturbations.manipulation_check import ManipulationCheck, check_damage
from memtrial.perturbations.written.advice_verdict import explain_refusal, pair_actions
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_proofs import refuse_drafts
from memtrial.protocols import Perturbation


def check_vouched(
    kind: Perturbation,
    slot: Slot,
    damaged: Damaged,
    readings: Sequence[AdviceComparison],
    known: Repertoire = NOTHING_KNOWN,
    *,
    by_rules: bool = False,
) -> ManipulationCheck:
    """Measure the damage, and ask what its claim asks of a text that a model wrote.

    Args:
        readings: what the judge read in each item, the intact text first.
        by_rules: the text is the rules', which is held to their aim as well.
    """
    measured = check_damage(kind, slot, damaged, known)
    before = damaged.before or slot
    reason = "" if measured.structure_kept else "the cue line, the headings or the number of items changed"
    reason = measured.reason if by_rules else reason
    reason = reason or refuse_vouched(
        measured.kind, before.items, damaged.slot.items, readings, by_rules=by_rules
    )
    actions = pair_actions(readings) if CLAIMS[measured.kind] == "exchanged" else ("", "")
    return replace(measured, passed=not reason, reason=reason, told=actions[0], told_instead=actions[1])


def refuse_vouched(
    kind: str, before: Items, after: Items, readings: Sequence[AdviceComparison], *, by_rules: bool = False
) -> str:
    """What does not hold of accepted items, from the texts and the judge's word; empty where all does."""
    if not len(readings) == len(after) == len(before):
        return f"the judge read {len(readings)} of {len(after)} items"
    claim = CLAIMS[kind]
    if not by_rules and (fault := refuse_drafts(claim, before, after)):
        return fault
    for number, (was, now, reading) in enumerate(zip(before, after, readings, strict=True), 1):
        why = find_fault(reading, was, reading.readable if claim == "hidden" else now) or explain_refusal(
            claim, reading, now
        )
        if why:
            return f"item {number}: {why}"
    return ""
