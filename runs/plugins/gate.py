"""A user's gate: an item and its trajectory in; a finding, yes or no, or a word and a reason out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_args

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import passages
from loadbearing.gates.gate import Finding, Gate, evidence
from loadbearing.judges.question import Verdict
from loadbearing.memory.item import Item, TheoryItem
from loadbearing.memory.markdown import render
from loadbearing.models.client.client import Caller
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.adapter import Adapter, Expected, load_adapter
from loadbearing.runs.plugins.load import name_of, parameters_of

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
WITHOUT_QUOTE: tuple[Verdict, ...] = ("ERROR", "NOT_APPLICABLE")
WORDS = f"a Finding, True, False, None, or one of {', '.join(VERDICTS)} with or without a reason"
ANYTHING = Expected[Any](Any, WORDS)
FINDING = Expected[Finding](Finding, WORDS)


@dataclass(frozen=True, slots=True)
class OwnGate:
    """A user's closed question about an item, as a gate.

    Args:
        reads_text: it takes the item as markdown.
    """

    own: Adapter
    name: str
    reads_text: bool

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft. A fault, or an answer without ground, is an ERROR, never a verdict on the item.

        Raises:
            ModelFault: no answer could be had.
        """
        where = f"gate {self.name}"
        try:
            said = await self.own.ask(where, ANYTHING, render(item) if self.reads_text else item, trajectory)
            return _grounded(self.own.read(where, FINDING, self._finding(said, item)), item, trajectory)
        except RunFault as fault:
            return Finding(self.name, "ERROR", None, "item", str(fault))

    def _finding(self, said: Any, item: Item) -> Finding:
        if isinstance(said, Finding):
            return replace(said, gate=self.name)
        answer, reason = said if isinstance(said, tuple) and len(said) == 2 else (said, "")
        words = {None: "NOT_APPLICABLE", True: "PASS", False: "FAIL"}
        word = words[answer] if answer is None or isinstance(answer, bool) else str(answer)
        verdict = next((one for one in VERDICTS if one == word), None)
        if verdict is None:
            raise RunFault(f"gate {self.name} answered {said!r}; {WORDS} is needed")
        quote = None if verdict in WITHOUT_QUOTE else _quote(item)
        return Finding(self.name, verdict, quote, "item", str(reason or f"{self.name} says {word}"))


def load_gate(source: str, caller: Caller, seed: int) -> Gate:
    """The gate that `path/to/module.py:Object` names.

    Args:
        caller: the model that `ask` asks.

    Raises:
        SpecFault: it cannot be loaded, or cannot be called.
    """
    own = load_adapter(source, caller, seed, "a gate", ("__call__",))
    return OwnGate(own, name_of(own.thing, source), _reads_text(own.thing))


def _reads_text(thing: Any) -> bool:
    """Its first parameter is a text by annotation or by name; else it gets the item."""
    first = next(iter(parameters_of(thing).values()), None)
    return first is not None and (
        first.annotation in (str, "str") or first.name in ("text", "markdown", "item_markdown")
    )


def _quote(item: Item) -> str:
    """The evidence where the gate quotes nothing: the claim, or the first line with text."""
    if isinstance(item, TheoryItem):
        return evidence(item)
    return next((line for line in render(item).split("\n")[1:] if line.strip()), render(item))


def _grounded(finding: Finding, item: Item, trajectory: Trajectory) -> Finding:
    """Refuse a finding whose quote does not stand where it says."""
    if finding.finding not in VERDICTS:
        raise RunFault(f"gate {finding.gate} found {finding.finding!r}; {WORDS} is needed")
    if finding.quote is None:
        if finding.finding in WITHOUT_QUOTE:
            return finding
        raise RunFault(f"gate {finding.gate} answered {finding.finding} without a quote")
    texts = passages(trajectory) if finding.where == "trace" else (render(item),)
    if finding.quote.strip() and any(finding.quote in text for text in texts):
        return finding
    raise RunFault(
        f"gate {finding.gate} quoted what does not stand in the {finding.where}: {finding.quote[:80]!r}"
    )
