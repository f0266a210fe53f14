"""How the tries at one task differ: by another draw, another temperature, another way to take the task apart.

Source: seeds/000 (more compute: samples, variants, decompositions), REQUIREMENTS A-08, A-24.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Literal

from memtrial.prompts.templates import Prompt

VariantKind = Literal["seed", "temperature", "decomposition"]
TEMPERATURES = (1.0, 0.4, 0.7)
"""Of the tries that vary by it, in turn."""
HINTS = Prompt("rollout_hints")


@dataclass(frozen=True, slots=True)
class RolloutVariant:
    """One try before it is made.

    Args:
        temperature: None: that of the agent.
        hint: stands behind the memory; empty for none.
    """

    index: int
    kind: VariantKind = "seed"
    temperature: float | None = None
    hint: str = ""


def vary_rollouts(n: int, kinds: Sequence[VariantKind]) -> tuple[RolloutVariant, ...]:
    """So many tries; the first is plain, the others vary by each kind in turn.

    Every try is a draw of its own, whatever else it varies by.

    Raises:
        ValueError: fewer than one, or no kind.
    """
    if n < 1 or not kinds:
        raise ValueError(f"one try at least and one way to vary it are needed; got {n} and {list(kinds)}")
    hints, temperatures = cycle(HINTS.render().strip().split("\n")), cycle(TEMPERATURES)
    variants = [RolloutVariant(0)]
    for index, kind in enumerate(islice(cycle(kinds), n - 1), 1):
        variants.append(
            RolloutVariant(
                index,
                kind,
                next(temperatures) if kind == "temperature" else None,
                next(hints) if kind == "decomposition" else "",
            )
        )
    return tuple(variants)
