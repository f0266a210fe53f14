"""A user's gate: an item and its trajectory in; yes, no or None out, with or without a reason."""

from dataclasses import dataclass

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.gates.gate import Finding, Gate, evidence
from loadbearing.memory.item import Item, TheoryItem
from loadbearing.memory.markdown import render
from loadbearing.models.client.client import Caller
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.adapter import Adapter, Expected, load_adapter
from loadbearing.runs.plugins.load import name_of

ANSWER = Expected(
    list[bool | tuple[bool | None, str] | None],
    "True, False or None, or one of these with a reason,",
)


@dataclass(frozen=True, slots=True)
class OwnGate:
    """A user's closed question about an item, as a gate. The evidence is the claim, or the first line."""

    own: Adapter
    name: str

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft. A fault is an ERROR, never a verdict on the item.

        Raises:
            ModelFault: no answer could be had.
        """
        try:
            said = await self.own.ask(f"gate {self.name}", ANSWER, item, trajectory)
        except RunFault as fault:
            return Finding(self.name, "ERROR", None, "item", str(fault))
        answer, reason = said if isinstance(said, tuple) else (said, "")
        if answer is None:
            return Finding(self.name, "NOT_APPLICABLE", None, "item", reason or f"{self.name} does not apply")
        text = render(item)
        quote = next((line for line in text.split("\n")[1:] if line.strip()), text)
        if isinstance(item, TheoryItem):
            quote = evidence(item)
        return Finding(
            self.name, "PASS" if answer else "FAIL", quote, "item", reason or f"{self.name} says so"
        )


def load_gate(source: str, caller: Caller, seed: int) -> Gate:
    """The gate that `path/to/module.py:Object` names; a SpecFault where it cannot be loaded or called."""
    own = load_adapter(source, caller, seed, "a gate", ("__call__",))
    return OwnGate(own, name_of(own.thing, source))
