"""What can still be told of the advice of a text whose words were masked.

The judge reads the masked text alone and lists what it still advises; then it compares this list with the
intact text, as any two texts, without being told where either comes from.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from memtrial.judges.advice_comparison import (
    ASKED,
    MOST_PIECES,
    AdviceComparison,
    AdvicePiece,
    ModelComparer,
)
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault, Structured, signature_of
from memtrial.prompts.templates import Prompt

READABLE = Prompt("readable_advice")
NOTHING_READABLE = "Nothing can be told."
"""What is readable of a text in which no advice can be made out; it is compared with nothing."""


@dataclass(frozen=True)
class MaskReader:
    """A language model that says what a masked text advises, and whether the intact one advises that."""

    caller: Caller

    async def __call__(self, intact: str, masked: str) -> AdviceComparison:
        """What the intact text, which is the first, and what is left of the masked one have in common.

        Raises:
            ModelFault: no answer could be had at all.
        """
        pieces: tuple[AdvicePiece, ...] = ()
        fault = "not asked"
        for attempt in range(ASKED):
            caller = replace(self.caller, repeat=self.caller.repeat * ASKED + attempt)
            try:
                reply = await Structured(caller).ask(_signature(), {"text": masked})
            except ReplyFault as wrong:
                fault = f"the judge's reply could not be read: {wrong}"
                continue
            pieces = tuple(reply.pieces)
            fault = find_misquoted(pieces, masked)
            if not fault:
                break
        if fault:
            return AdviceComparison(fault=fault)
        if not pieces:
            return AdviceComparison(readable=NOTHING_READABLE)
        readable = list_readable(pieces)
        compared = await ModelComparer(self.caller)(intact, readable)
        return compared.model_copy(update={"readable": readable})


def find_misquoted(pieces: tuple[AdvicePiece, ...], masked: str) -> str:
    """What does not hold of the list: a quote that does not stand there, or no action; else empty."""
    if len(pieces) > MOST_PIECES:
        return f"the judge lists {len(pieces)} pieces of advice; at most {MOST_PIECES} can be read"
    flat = " ".join(masked.split())
    for piece in pieces:
        if not piece.quote.strip() or " ".join(piece.quote.split()) not in flat:
            return f"the judge quoted what does not stand in the masked text: {piece.quote[:80]!r}"
        if not piece.action.strip():
            return "the judge named no action of the masked text"
    return ""


def list_readable(pieces: tuple[AdvicePiece, ...]) -> str:
    """The list as a text, a line each."""
    actions = (" ".join(piece.action.split()) for piece in pieces)
    return "\n".join(
        f"{'Do' if piece.polarity == 'do' else 'Avoid'}: {action}"
        for piece, action in zip(pieces, actions, strict=True)
    )


@cache
def _signature() -> Any:
    wanted = {"pieces": (list[AdvicePiece], "all that the text advises, as far as it can be told")}
    return signature_of(READABLE.render(), {"text": "the text"}, wanted)
