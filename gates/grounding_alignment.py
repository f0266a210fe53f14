"""Does the trace support the claim as it is stated?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from episodes.trajectory import Trajectory
from episodes.views import passages
from gates.gate import Finding, examine
from judges.question import Judge
from memory.item import Item, TheoryItem
from prompts.templates import Prompt

SPAN = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”")


@dataclass(frozen=True)
class GroundingAlignment:
    """What the item quotes stands in the trace, and the claim follows from it."""

    judge: Judge
    question: Prompt = Prompt("gate_grounding_alignment")
    name: str = "grounding-alignment"

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft."""
        return await examine(self.name, invention, self.question, self.judge, item, trajectory)


def invention(item: TheoryItem, trajectory: Trajectory) -> str:
    """What the item quotes and the trace does not hold."""
    text = " ".join(" ".join(piece.split()) for piece in passages(trajectory)).lower()
    for field in (item.claim, item.mechanism):
        for match in SPAN.finditer(field):
            span = next(filter(None, match.groups()))
            if " ".join(span.split()).lower().rstrip(".!?,") not in text:
                return f"the item quotes what the trace does not hold: {span[:80]!r}"
    return ""
