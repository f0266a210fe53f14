"""Checks of effects by group of tasks: intervals of each, and whether groups are called different."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from memtrial.analysis.arrays import Bools, Floats
from memtrial.analysis.calibration.error_bands import ALPHA, Row, Values, at_least, at_most
from memtrial.analysis.calibration.measured_experiments import Bench
from memtrial.analysis.inference.group_effects import measure_groups

REPEATS = 3
EVERY = 2
"""So many times fewer experiments than of verdicts: each draws a thousand relabelled ones."""
SLACK = 0.02
"""Of few units of unlike variance the test is known to be a little too ready (.06 for .05)."""


@dataclass(frozen=True, slots=True)
class GroupTruth:
    """By group the true effect, the mean chance without it and the number of tasks."""

    name: str
    effects: tuple[float, ...]
    chances: tuple[float, ...]
    sizes: tuple[int, ...]


ALIKE = GroupTruth("all groups alike", (0.0,) * 6, (0.45,) * 6, (12,) * 6)
UNLIKE = GroupTruth("no effect, unlike size and difficulty", (0.0,) * 6, (0.5, 0.15) * 3, (5, 30) * 3)
OPPOSED = GroupTruth("+0.2 in half, -0.2 in half", (0.2, -0.2) * 3, (0.45,) * 6, (12,) * 6)
ALONE = GroupTruth("+0.4 in one of six", (0.4, *(0.0,) * 5), (0.4,) * 6, (12,) * 6)


@dataclass(frozen=True, slots=True)
class SeenGroups:
    """Whether the interval of each group held its truth, shape (n, J), and whether they were called different
    in each experiment."""

    held: Bools
    differ: Bools


@lru_cache(maxsize=16)
def see_groups(bench: Bench, truth: GroupTruth) -> SeenGroups:
    """The groups in many experiments."""
    rng = bench.rng("groups", truth.name)
    group = np.repeat(np.arange(len(truth.sizes)), truth.sizes)
    members = {f"g{number}": group == number for number in range(len(truth.sizes))}
    effect, chance = (np.array(values)[group] for values in (truth.effects, truth.chances))
    held, differ = [], []
    for _ in range(max(1, bench.effort.judged // EVERY)):
        base = _draw_chances(chance, effect, rng)
        drawn = rng.binomial(REPEATS, base + effect) - rng.binomial(REPEATS, base)
        effects, spread = measure_groups(
            drawn / REPEATS, np.arange(len(group)), members, REPEATS, (-1.0, 1.0), ALPHA, rng
        )
        held.append(
            [
                one.low_shrunk is not None
                and one.high_shrunk is not None
                and one.low_shrunk <= true <= one.high_shrunk
                for one, true in zip(effects, truth.effects, strict=True)
            ]
        )
        differ.append(spread is not None and spread.p <= ALPHA)
    return SeenGroups(np.array(held), np.array(differ))


def _draw_chances(chance: Floats, effect: Floats, rng: np.random.Generator) -> Floats:
    return np.clip(rng.normal(chance, 0.1), np.maximum(0.0, -effect), np.minimum(1.0, 1.0 - effect))


def list_group_checks() -> Iterator[Row]:
    """Coverage of each group's own interval, false and true findings that groups differ."""
    for truth in (ALIKE, UNLIKE, OPPOSED, ALONE):
        yield Row(f"interval of each group: {truth.name}", _see("held", truth), at_least(1 - ALPHA, SLACK))
    for truth in (ALIKE, UNLIKE):
        yield Row(f"groups called different: {truth.name}", _see("differ", truth), at_most(ALPHA, SLACK))
    yield Row(f"groups called different: {OPPOSED.name}", _see("differ", OPPOSED), at_least(0.9))


def _see(what: str, truth: GroupTruth) -> Callable[[Bench], Values]:
    def see(bench: Bench) -> Values:
        seen = see_groups(bench, truth)
        return seen.held[:, 0] if (what, truth) == ("held", ALONE) else getattr(seen, what).ravel()

    return see
