"""The manipulation check of a text that a judge vouched for: what a program can prove is asked of it again, and
the judge's word is held against the two texts again; flips are counted, and not required."""

from collections.abc import Sequence
from dataclasses import replace

from memtrial.agents.slot import Slot
from memtrial.judges.advice_comparison import AdviceComparison, find_fault
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.damage_contract import Damaged
from memtrial.perturbations.manipulation_check import ManipulationCheck, check_damage
from memtrial.perturbations.written.advice_verdict import explain_refusal, pair_actions
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_proofs import refuse_draft
from memtrial.protocols import Perturbation


def check_vouched(
    kind: Perturbation,
    slot: Slot,
    damaged: Damaged,
    readings: Sequence[AdviceComparison],
    known: Repertoire = NOTHING_KNOWN,
) -> ManipulationCheck:
    """Measure the damage, and ask what its claim asks of a text that a model wrote.

    Args:
        readings: what the judge read in each item, the intact text first.
    """
    measured = check_damage(kind, slot, damaged, known)
    before, after = damaged.before or slot, damaged.slot
    reason = "" if measured.structure_kept else "the cue line, the headings or the number of items changed"
    if len(readings) != len(after.items):
        reason = reason or f"the judge read {len(readings)} of {len(after.items)} items"
    claim = CLAIMS[measured.kind]
    for number, (was, now, reading) in enumerate(zip(before.items, after.items, readings, strict=False), 1):
        why = (
            refuse_draft(claim, was, now)
            or find_fault(reading, was, now)
            or explain_refusal(claim, reading, now)
        )
        reason = reason or (f"item {number}: {why}" if why else "")
    told, instead = pair_actions(readings) if claim == "exchanged" else ("", "")
    return replace(measured, passed=not reason, reason=reason, told=told, told_instead=instead)
