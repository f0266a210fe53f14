"""What two texts advise, piece by piece, and how each piece compares with its counterpart in the other text.

The judge is not told which text is the intact one, nor what was to be done to it.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault, Structured, signature_of
from memtrial.prompts.templates import Prompt

COMPARISON = Prompt("compare_advice")
Polarity = Literal["do", "avoid"]
Relation = Literal["same", "opposite", "another action", "not there"]
ASKED = 2
"""Times a comparison is asked for where the answer contradicts itself or cannot be read."""
MOST_PIECES = 60
"""Pieces of advice of one text; a judge that lists more has not read them."""
_Text = Annotated[str, Field(max_length=2_000)]


class AdvicePiece(BaseModel):
    """One thing that a text tells to do or to avoid; `quote` is the passage that tells it, verbatim."""

    model_config = ConfigDict(frozen=True)

    field: _Text
    polarity: Polarity
    action: _Text
    quote: _Text


class AdvicePair(BaseModel):
    """A piece of the one text and its counterpart in the other, by number from 1; 0 where there is none."""

    model_config = ConfigDict(frozen=True)

    first: Annotated[int, Field(ge=0, le=MOST_PIECES)]
    second: Annotated[int, Field(ge=0, le=MOST_PIECES)]
    relation: Relation

    @property
    def mirror(self) -> "AdvicePair":
        """The same with the texts the other way round."""
        return AdvicePair(first=self.second, second=self.first, relation=self.relation)


class AdviceComparison(BaseModel):
    """What the judge says of two texts.

    Args:
        first, second: all that each advises.
        pairs: every piece of both in at least one.
        first_contradicts, second_contradicts: whether a text contradicts itself.
        readable: of a text whose words were masked, what the judge made out without having seen the other; it
            was compared in the place of the second. Empty for all other texts.
        fault: why there is no answer; all else is empty then.
    """

    model_config = ConfigDict(frozen=True)

    first: tuple[AdvicePiece, ...] = ()
    second: tuple[AdvicePiece, ...] = ()
    pairs: tuple[AdvicePair, ...] = ()
    first_contradicts: bool = False
    second_contradicts: bool = False
    readable: str = ""
    fault: str = ""

    @property
    def mirror(self) -> "AdviceComparison":
        """The same with the texts the other way round."""
        return AdviceComparison(
            first=self.second,
            second=self.first,
            pairs=tuple(pair.mirror for pair in self.pairs),
            first_contradicts=self.second_contradicts,
            second_contradicts=self.first_contradicts,
            fault=self.fault,
        )


@dataclass(frozen=True)
class ModelComparer:
    """A language model that compares what two texts advise."""

    caller: Caller

    async def __call__(self, first: str, second: str) -> AdviceComparison:
        """Ask in an order drawn from the texts, check the answer, and ask once more where it does not hold.

        Raises:
            ModelFault: no answer could be had at all.
        """
        swapped = is_swapped(first, second)
        shown = (second, first) if swapped else (first, second)
        compared = AdviceComparison(fault="not asked")
        for attempt in range(ASKED):
            caller = replace(self.caller, repeat=self.caller.repeat * ASKED + attempt)
            compared = await _ask(caller, *shown)
            if not compared.fault:
                break
        return compared.mirror if swapped else compared


def is_swapped(first: str, second: str) -> bool:
    """Whether the second text is shown first: drawn from the digest of both, whichever of them is damaged."""
    return sha256(json.dumps([first, second]).encode()).digest()[0] % 2 == 1


async def _ask(caller: Caller, first: str, second: str) -> AdviceComparison:
    try:
        reply = await Structured(caller).ask(_signature(), {"first_text": first, "second_text": second})
    except ReplyFault as fault:
        return AdviceComparison(fault=f"the judge's reply could not be read: {fault}")
    compared = AdviceComparison(
        first=tuple(reply.first),
        second=tuple(reply.second),
        pairs=tuple(reply.pairs),
        first_contradicts=reply.first_contradicts == "yes",
        second_contradicts=reply.second_contradicts == "yes",
    )
    wrong = find_fault(compared, first, second)
    return AdviceComparison(fault=wrong) if wrong else compared


def find_fault(compared: AdviceComparison, first: str, second: str) -> str:
    """What does not hold in an answer: a quote that does not stand there, a piece that was passed over, two
    answers to one question; empty where nothing is."""
    for which, pieces, text in (("first", compared.first, first), ("second", compared.second, second)):
        if len(pieces) > MOST_PIECES:
            return f"the judge lists {len(pieces)} pieces of advice; at most {MOST_PIECES} can be read"
        for piece in pieces:
            if not piece.quote.strip() or _flat(piece.quote) not in _flat(text):
                return f"the judge quoted what does not stand in the {which} text: {piece.quote[:80]!r}"
            if not piece.action.strip():
                return f"the judge named no action of the {which} text"
    numbers = [pair.first for pair in compared.pairs], [pair.second for pair in compared.pairs]
    for which, of_pairs, pieces in zip(
        ("first", "second"), numbers, (compared.first, compared.second), strict=True
    ):
        if fault := _find_misnumbered(compared.pairs, of_pairs, len(pieces), which):
            return fault
    return next(filter(None, (_find_contradiction(compared, pair) for pair in compared.pairs)), "")


def _find_misnumbered(pairs: Sequence[AdvicePair], numbers: Sequence[int], n: int, side: str) -> str:
    relations: dict[int, set[bool]] = defaultdict(set)
    for pair, number in zip(pairs, numbers, strict=True):
        if number > n:
            return f"the judge paired piece {number} of the {side} text, which has {n}"
        if number:
            relations[number].add(pair.relation == "not there")
    if missing := [number for number in range(1, n + 1) if number not in relations]:
        return f"the judge passed over piece {missing[0]} of the {side} text"
    if both := [number for number, absent in relations.items() if len(absent) > 1]:
        return f"the judge found a counterpart of piece {both[0]} of the {side} text, and none"
    return ""


def _find_contradiction(compared: AdviceComparison, pair: AdvicePair) -> str:
    if (pair.relation == "not there") != (not pair.first or not pair.second):
        return f"the judge paired {pair.first} with {pair.second} and called that {pair.relation!r}"
    if not (pair.first or pair.second):
        return "the judge paired nothing with nothing"
    if pair.relation == "not there":
        return ""
    ours, theirs = compared.first[pair.first - 1], compared.second[pair.second - 1]
    alike = _flat(ours.action).casefold() == _flat(theirs.action).casefold()
    # of one action in two conditions: another action
    possible = ("same", "another action") if ours.polarity == theirs.polarity else ("opposite",)
    if alike and pair.relation not in possible:
        return (
            f"the judge read {ours.action[:80]!r} as {ours.polarity} and {theirs.polarity}: {pair.relation}"
        )
    return ""


def _flat(text: str) -> str:
    return " ".join(text.split())


@cache
def _signature() -> Any:
    given = {"first_text": "the first text", "second_text": "the second text"}
    wanted = {
        "first": (
            list[AdvicePiece],
            "all that the first text advises, numbered from 1 by place; may be empty",
        ),
        "second": (list[AdvicePiece], "all that the second text advises, likewise"),
        "pairs": (list[AdvicePair], "how the pieces compare, by their numbers"),
        "first_contradicts": (Literal["yes", "no"], "whether the first text contradicts itself"),
        "second_contradicts": (Literal["yes", "no"], "whether the second text contradicts itself"),
    }
    return signature_of(COMPARISON.render(), given, wanted)
