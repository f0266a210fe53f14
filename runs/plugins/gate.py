"""A user's gate: an item and its trajectory in; a finding, yes or no, or a word and a reason out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import passages
from loadbearing.gates.gate import Finding, Gate, evidence
from loadbearing.judges.question import Verdict
from loadbearing.memory.item import Item, TheoryItem
from loadbearing.memory.markdown import render
from loadbearing.models.client.client import Caller
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.adapter import Adapter, Expected, load_adapter
from loadbearing.runs.plugins.load import name_of

WITHOUT_QUOTE: tuple[Verdict, ...] = ("ERROR", "NOT_APPLICABLE")
Answer = bool | Verdict | None
FOUND = Expected(
    list[Answer | tuple[Answer, str] | Finding],
    "a Finding, True, False, None, PASS, WARN, FAIL, ERROR or NOT_APPLICABLE, with or without a reason,",
)


@dataclass(frozen=True, slots=True)
class OwnGate:
    """A user's closed question about an item, as a gate."""

    own: Adapter
    name: str

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft. A fault, or an answer without ground, is an ERROR, never a verdict on the item.

        Raises:
            ModelFault: no answer could be had.
        """
        try:
            said = await self.own.ask(f"gate {self.name}", FOUND, item, trajectory)
        except RunFault as fault:
            return Finding(self.name, "ERROR", None, "item", str(fault))
        if not isinstance(said, Finding):
            answer, reason = said if isinstance(said, tuple) else (said, "")
            words: dict[Answer, Verdict] = {None: "NOT_APPLICABLE", True: "PASS", False: "FAIL"}
            verdict = answer if isinstance(answer, str) else words[answer]
            quote = None if verdict in WITHOUT_QUOTE else _quote(item)
            said = Finding("", verdict, quote, "item", reason or f"{self.name} says {verdict}")
        if said.quote is None and said.finding in WITHOUT_QUOTE:
            return replace(said, gate=self.name)
        texts = passages(trajectory) if said.where == "trace" else (render(item),)
        quote = said.quote or ""
        if quote.strip() and any(quote in text for text in texts):
            return replace(said, gate=self.name)
        why = f"gate {self.name} quoted what does not stand in the {said.where}: {quote[:80]!r}"
        return Finding(self.name, "ERROR", None, "item", why)


def load_gate(source: str, caller: Caller, seed: int) -> Gate:
    """The gate that `path/to/module.py:Object` names.

    Args:
        caller: the model that `ask` asks.

    Raises:
        SpecFault: it cannot be loaded, or cannot be called.
    """
    own = load_adapter(source, caller, seed, "a gate", ("__call__",))
    return OwnGate(own, name_of(own.thing, source))


def _quote(item: Item) -> str:
    """The evidence where the gate quotes nothing: the claim, or the first line with text."""
    if isinstance(item, TheoryItem):
        return evidence(item)
    return next((line for line in render(item).split("\n")[1:] if line.strip()), render(item))
