"""Does the item say why, in a way that could turn out wrong?"""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.gates.gate import Finding, examine
from loadbearing.judges.question import Judge
from loadbearing.memory.item import Item, TheoryItem
from loadbearing.memory.words import content_words
from loadbearing.prompts.templates import Prompt

OUTCOME = frozenset(
    content_words(
        "work success successful successfully succeed fail failure better best good well great fine right"
        " correct correctly effective effectively efficient efficiently helpful help useful reliable proven"
        " prove improve optimal fast faster easy easier way approach method strategy action step agent run"
        " attempt task goal problem solve solution complete completion achieve reach obtain get give lead"
        " led result outcome answer reward score otherwise overall finally"
    )
)
"""Words that report how something went. A reason needs at least one other word: a thing, or what it does."""


@dataclass(frozen=True)
class ExplanatoryReach:
    """The Mechanism constrains where the claim holds, as opposed to 'it worked'."""

    judge: Judge
    question: Prompt = Prompt("gate_explanatory_reach")
    name: str = "explanatory-reach"

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        return await examine(self.name, shortfall, self.question, self.judge, item, trajectory)


def shortfall(item: TheoryItem, trajectory: Trajectory) -> str:  # noqa: ARG001
    """What is wrong with the Mechanism, seen by a program."""
    if not item.mechanism:
        return "there is no Mechanism"
    told = set(content_words(item.mechanism)) - OUTCOME
    if not told:
        return "the Mechanism states an outcome and no reason"
    if told <= set(content_words(item.claim)):
        return "the Mechanism only says the Claim again"
    return ""
