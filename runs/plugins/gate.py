"""A gate of one's own: an item and its trajectory in; a finding, yes or no, or a word and a reason out."""

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
from loadbearing.runs.plugins.ask import make_asking
from loadbearing.runs.plugins.load import Border, half_sign, name_of, parameters_of, settled

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
WANTED = f"a Finding, True, False, None, or one of {', '.join(VERDICTS)} with or without a reason is needed"


@dataclass(frozen=True, slots=True)
class OwnGate:
    """Somebody's closed question about an item, as a gate.

    Args:
        thing: what was loaded; called with the item and the trajectory.
        source: its `path/to/module.py:Object`.
        reads_text: it takes the item as markdown.
    """

    thing: Any
    source: str
    name: str
    reads_text: bool

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft. What it raises, or says without ground, is an ERROR, never a verdict on the item.

        Raises:
            ModelFault: no answer could be had.
        """
        try:
            with Border(f"gate {self.name}", RunFault, self.source):
                said = await settled(self.thing(render(item) if self.reads_text else item, trajectory))
            return _grounded(self._read(said, item), item, trajectory)
        except RunFault as fault:
            return Finding(self.name, "ERROR", None, "item", str(fault))

    def _read(self, said: Any, item: Item) -> Finding:
        if isinstance(said, Finding):
            return replace(said, gate=self.name)
        answer, reason = said if isinstance(said, tuple) and len(said) == 2 else (said, "")
        if answer is None or isinstance(answer, bool):
            word = "NOT_APPLICABLE" if answer is None else "PASS" if answer else "FAIL"
        else:
            word = str(answer)
        for verdict in VERDICTS:
            if verdict == word:
                quote = None if verdict in ("ERROR", "NOT_APPLICABLE") else _quote(item)
                return Finding(self.name, verdict, quote, "item", str(reason or f"{self.name} says {word}"))
        raise RunFault(f"gate {self.name} answered {said!r}; {WANTED}")


def load_gate(source: str, caller: Caller, seed: int) -> Gate:
    """The gate that a name stands for.

    Args:
        source: `path/to/module.py:Object`.
        caller: the model that `ask` asks.

    Raises:
        SpecFault: it cannot be loaded, or cannot be called.
    """
    thing = make_asking(source, caller, seed, "a gate", ("__call__",))
    return OwnGate(thing, source, name_of(thing, source), _reads_text(thing))


def _reads_text(thing: Any) -> bool:
    """Its first parameter is a text by annotation or by name; else it gets the item."""
    first = next(iter(parameters_of(thing).values()), None)
    return first is not None and (
        first.annotation in (str, "str") or first.name in ("text", "markdown", "item_markdown")
    )


def _quote(item: Item) -> str:
    """The evidence where the gate quotes nothing: the claim, or the first line that says something."""
    if isinstance(item, TheoryItem):
        return evidence(item)
    return next((line for line in render(item).split("\n")[1:] if line.strip()), render(item))


def _grounded(finding: Finding, item: Item, trajectory: Trajectory) -> Finding:
    """A finding whose quote does not stand where it says is an ERROR."""
    if finding.finding not in VERDICTS:
        raise RunFault(f"gate {finding.gate} found {finding.finding!r}; {WANTED}")
    if why := half_sign(finding.reason):
        raise RunFault(f"gate {finding.gate} gave as its reason {why}")
    if finding.quote is None:
        if finding.finding in ("ERROR", "NOT_APPLICABLE"):
            return finding
        raise RunFault(f"gate {finding.gate} answered {finding.finding} without a quote")
    texts = passages(trajectory) if finding.where == "trace" else (render(item),)
    if finding.quote.strip() and any(finding.quote in text for text in texts):
        return finding
    raise RunFault(
        f"gate {finding.gate} quoted what does not stand in the {finding.where}: {finding.quote[:80]!r}"
    )
