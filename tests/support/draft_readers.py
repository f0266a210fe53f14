"""Readers of what a model writes as damage, and of what a judge says of it."""

from collections.abc import Callable, Mapping

from memtrial.agents.slot import Slot
from memtrial.judges.advice_comparison import AdviceComparison, AdvicePiece, find_fault
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_masks import read_masking
from memtrial.perturbations.written.draft_proofs import refuse_draft
from memtrial.perturbations.written.draft_remarks import clean_draft, find_remark
from memtrial.perturbations.written.written_slot import accepted_instead


def _draft(text: str) -> object:
    return (
        clean_draft(text, f"```\n{text}\n```\n\nNote: {text}"),
        find_remark("", text),
        *(refuse_draft(claim, text, f"{text} {text[::-1]}") for claim in sorted(set(CLAIMS.values()))),
    )


def _comparison(text: str) -> object:
    piece = AdvicePiece(field="text", polarity="do", action="open", quote=text[:2000])
    return find_fault(AdviceComparison(first=(piece,)), text, text)


def draft_readers(known: Repertoire) -> Mapping[str, Callable[[str], object]]:
    """By name."""
    return {
        "a draft of damage": _draft,
        "a comparison of advice": _comparison,
        "a draft of masks": lambda text: read_masking(text, text.replace("a", "[XXXX]")),
        "what a draft is asked about": lambda text: accepted_instead(Slot("", (text,)), known),
    }
