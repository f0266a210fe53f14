"""What a gate is, and how its two halves work together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.judges.question import Judge, Place, Verdict
from loadbearing.memory.item import Item, TheoryItem
from loadbearing.memory.markdown import render
from loadbearing.prompts.templates import Prompt


@dataclass(frozen=True, slots=True)
class Finding:
    """A gate's answer about one draft, with a reason in one sentence.

    Args:
        quote: the evidence, verbatim; a finding of absence quotes the claim; None for an ERROR.
        where: the text the quote stands in.
    """

    gate: str
    finding: Verdict
    quote: str | None
    where: Place
    reason: str


class Gate(Protocol):
    """One closed question about one named failure of an item."""

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft in the light of the trajectory it came from."""


Rule = Callable[[TheoryItem, Trajectory, View], str]
"""A deterministic half: what is wrong, in a few words, or nothing."""


@dataclass(frozen=True, slots=True)
class GateKind:
    """A gate that ships, without its judge."""

    name: str
    rule: Rule

    @property
    def question(self) -> Prompt:
        """What the judge is asked."""
        return Prompt(f"gate_{self.name.replace('-', '_')}")


@dataclass(frozen=True, slots=True)
class JudgedGate:
    """The deterministic half first, and only what passes it goes before the judge.

    A program's word is final: a failure that it finds needs no model, and no text can excuse it.

    Args:
        view: what of the trajectory the condenser saw; it can quote nothing else.
    """

    kind: GateKind
    judge: Judge
    view: View = "full"

    @property
    def name(self) -> str:
        return self.kind.name

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        if not isinstance(item, TheoryItem):
            return Finding(self.name, "NOT_APPLICABLE", None, "item", "the gate reads theory items only")
        if wrong := self.kind.rule(item, trajectory, self.view):
            return Finding(self.name, "FAIL", evidence(item), "item", wrong)
        answer = await self.judge(self.kind.question.render(), render(item), trajectory)
        return Finding(self.name, answer.verdict, answer.quote, answer.where, answer.reason)


def evidence(item: TheoryItem) -> str:
    """What a finding of absence quotes: the claim, or the heading where even that is empty."""
    if item.claim in render(item):
        return item.claim or "## Claim"
    # a line that looks like a heading is guarded in the markdown; a single line stands there guarded or not
    return max((line.strip() for line in item.claim.split("\n")), key=len)
