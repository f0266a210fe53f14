"""Does the trace support the claim as it is stated?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from episodes.trajectory import Trajectory
from episodes.views import View, passages
from gates.gate import Finding, examine
from judges.question import Judge
from memory.item import Item, TheoryItem
from prompts.templates import Prompt

QUESTION = Prompt("gate_grounding_alignment")
# a straight quote opens after no letter or digit: 5" is a length, don't and users' hold apostrophes
SPAN = re.compile(
    r"`+([^`\n]+)`+|(?<![^\W_])\"([^\"\n]+)\"|“([^”\n]+)”|«([^»\n]+)»|‘([^’\n]+)’(?![^\W_])"
    r"|(?<![^\W_])'(?=\S)(?!\d0s\b)([^\n]+?)(?<=\S)'(?![^\W_])"
)
GAP = re.compile(r"<[\w -]{1,30}>|\{[\w -]{1,30}\}|\.{3,}|…")
STEPS = re.compile(
    r"\bsteps (?P<many>\d+(?:(?:\s*[-–—,]\s*|\s+to\s+|\s+and\s+)\d+)*)|\bstep (?P<one>\d+)", re.IGNORECASE
)
MARKS = str.maketrans("`’‘“”«»", "'" * 3 + '"' * 4)


@dataclass(frozen=True)
class GroundingAlignment:
    """What the item quotes stands in the trace, and the claim follows from it.

    Args:
        view: what of the trajectory the condenser saw; it can quote nothing else.
    """

    judge: Judge
    question: Prompt = QUESTION
    name: str = "grounding-alignment"
    view: View = "full"

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft."""
        rule = partial(invention, view=self.view)
        return await examine(self.name, rule, self.question, self.judge, item, trajectory)


def invention(item: TheoryItem, trajectory: Trajectory, view: View = "full") -> str:
    """What the item quotes or cites and the trace does not hold."""
    if not item.claim:
        return "there is no Claim that the trace could support"
    texts = tuple(_plain(piece) for piece in passages(trajectory, view))
    for field in (item.claim, item.mechanism):
        for match in SPAN.finditer(field):
            span = next(filter(None, match.groups()))
            if not any(_stands(span, text) for text in texts):
                return f"the item quotes what the trace does not hold: {span[:80]!r}"
    for field in (item.claim, item.mechanism, item.scope):
        for cited in _cited(field):
            # the world may speak of steps of its own
            if cited > len(trajectory.steps) and not any(f"step {cited}" in text for text in texts):
                return f"the item cites step {cited}, and the trace has {len(trajectory.steps)}"
    return ""


def _stands(span: str, text: str) -> bool:
    """All of a quotation stands in one passage; `<name>`, `{name}` and dots are gaps between its pieces."""
    pieces = [_plain(piece).strip(".!?, ") for piece in GAP.split(span)]
    if not any(pieces):
        return len(span.split()) == 1  # a mere variable; more words would be a quotation in disguise
    at = 0
    for needle in pieces:
        found = text.find(needle, at)
        if found < 0:
            return False
        at = found + len(needle)
    return True


def _cited(field: str) -> Iterator[int]:
    for match in STEPS.finditer(field):
        yield from (int(number) for number in re.findall(r"\d+", match["many"] or match["one"]))


def _plain(text: str) -> str:
    """One case, one kind of quotation mark, one kind of white space."""
    return " ".join(text.translate(MARKS).casefold().split())
