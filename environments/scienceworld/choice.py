"""Which tasks of ScienceWorld are played, in which variations and how: a frozen value."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal


@dataclass(frozen=True, slots=True)
class Choice:
    """What is taken from the benchmark, and how it is played.

    Args:
        tasks: task names as the benchmark spells them. Each name is one family.
        n_train, n_test: variations of each task, from the official `train` and `held_out` variations.
        seed: decides which variations are taken. A larger n only adds variations, and a further task
            changes none of the others'.
        step_limit: turns of the agent. The simulator's own limit counts ticks and is not used.
        simplifications: `easy` opens all doors and containers, lets the agent teleport and lets flower pots
            water themselves; or nothing.
        held_out: the official part that trials are played on.

    Raises:
        ValueError: no task, or a task twice.
    """

    tasks: tuple[str, ...] = ("find-plant", "find-non-living-thing", "lifespan-longest-lived")
    n_train: int = 12
    n_test: int = 12
    seed: int = 0
    step_limit: int = 30
    simplifications: Literal["easy", ""] = "easy"
    held_out: Literal["test", "dev"] = "test"

    def __post_init__(self) -> None:
        if not self.tasks or len(set(self.tasks)) < len(self.tasks):
            raise ValueError(f"needs at least one ScienceWorld task and none twice; came {list(self.tasks)}")


def chosen(official: Iterable[int], n: int, name: str, seed: int) -> tuple[int, ...]:
    """Draw `n` variations of task `name`, the same ones for the same seed.

    Ranked by a hash, not by a generator: no library's stream is part of the run's identity.

    Raises:
        ValueError: the benchmark has fewer than `n`.
    """
    ranked = sorted(official, key=lambda number: sha256(f"{seed}/{name}/{number}".encode()).digest())
    if len(ranked) < n:
        raise ValueError(
            f"needs {n} variations of {name!r}, but ScienceWorld has {len(ranked)} in this split"
        )
    return tuple(ranked[:n])
