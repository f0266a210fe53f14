"""How the tries at one task differ: by another draw, temperature, tool, or way to take the task apart.

Source: seeds/000 (more compute: samples, variants, decompositions), REQUIREMENTS A-08, A-24.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Literal

from memtrial.prompts.templates import Prompt

VariantKind = Literal["seed", "temperature", "decomposition", "tools"]
TEMPERATURES = (1.0, 0.4, 0.7)
"""Of the tries that vary by it, in turn."""
HINTS, TOOL = Prompt("rollout_hints"), Prompt("rollout_tool")
MOST_TOOLS = 64
"""Kinds of actions of a world, the first ones."""
_PLACE = re.compile(r"\b[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True)
class RolloutVariant:
    """One try before it is made.

    Args:
        temperature: None: that of the agent.
        hint: stands behind the memory; empty for none.
        tool: the kind of action that it is told to try first; empty for none.
    """

    index: int
    kind: VariantKind = "seed"
    temperature: float | None = None
    hint: str = ""
    tool: str = ""

    @property
    def words(self) -> str:
        """By what it differs, in words; no two tries of a task have the same."""
        if self.temperature is not None:
            return f"draw {self.index} at temperature {self.temperature:g}"
        if self.tool:
            return f"draw {self.index} with {self.tool} first"
        if self.hint:
            return f"draw {self.index} by a hint: {self.hint}"
        return f"draw {self.index}"


def list_tools(actions: Sequence[str], forms: Sequence[str]) -> tuple[str, ...]:
    """The kinds of actions of a task, each once, in their order.

    What begins the actions of several words that its world lists, for a single word is an answer; where it
    lists none, what stands before the first place of a command's form, as `pour` in `pour OBJ into OBJ`.
    """
    if actions:
        words = (action.casefold().split() for action in actions)
        named = [parts[0] for parts in words if len(parts) > 1]
    else:
        named = [" ".join(_PLACE.split(form, maxsplit=1)[0].split()) for form in forms]
    return tuple(dict.fromkeys(filter(None, named)))[:MOST_TOOLS]


def vary_rollouts(
    n: int, kinds: Sequence[VariantKind], tools: Sequence[str] = ()
) -> tuple[RolloutVariant, ...]:
    """So many tries; the first is plain, the others vary by each kind in turn.

    Every try is a draw of its own, whatever else it varies by; where the task has no tools, by nothing else.

    Raises:
        ValueError: fewer than one, or no kind.
    """
    if n < 1 or not kinds:
        raise ValueError(f"one try at least and one way to vary it are needed; got {n} and {list(kinds)}")
    next_tool = cycle(tools)
    hints, temperatures = cycle(HINTS.render().strip().split("\n")), cycle(TEMPERATURES)
    variants = [RolloutVariant(0)]
    for index, kind in enumerate(islice(cycle(kinds), n - 1), 1):
        if kind == "temperature":
            variants.append(RolloutVariant(index, kind, next(temperatures)))
        elif kind == "decomposition":
            variants.append(RolloutVariant(index, kind, hint=next(hints)))
        elif kind == "tools" and tools:
            tool = next(next_tool)
            variants.append(RolloutVariant(index, kind, hint=TOOL.render({"tool": tool}).strip(), tool=tool))
        else:
            variants.append(RolloutVariant(index))
    return tuple(variants)
