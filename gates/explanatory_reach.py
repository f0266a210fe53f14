"""Does the item say why, in a way that could turn out wrong?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from episodes.trajectory import Trajectory
from gates.gate import Finding, examine
from judges.question import Judge
from memory.item import Item, TheoryItem
from memory.words import content_words
from prompts.templates import Prompt

OUTCOME_ONLY = re.compile(
    r"^\W*(?:because\s+)?(?:it|this|that)\s+(?:just\s+)?(?:works?|worked|helps?|helped|is (?:better|best|right|good))\b"
    r"[^.]{0,20}\.?\W*$",
    re.IGNORECASE,
)
LEAST_NEW = 1


@dataclass(frozen=True)
class ExplanatoryReach:
    """The Mechanism constrains where the claim holds, as opposed to 'it worked'."""

    judge: Judge
    question: Prompt = Prompt("gate_explanatory_reach")
    name: str = "explanatory-reach"

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft."""
        return await examine(self.name, shortfall, self.question, self.judge, item, trajectory)


def shortfall(item: TheoryItem, trajectory: Trajectory) -> str:  # noqa: ARG001
    """What is wrong with the Mechanism, seen by a program."""
    if not item.mechanism:
        return "there is no Mechanism"
    if OUTCOME_ONLY.match(item.mechanism):
        return "the Mechanism states an outcome and no reason"
    if len(set(content_words(item.mechanism)) - set(content_words(item.claim))) < LEAST_NEW:
        return "the Mechanism only says the Claim again"
    return ""
