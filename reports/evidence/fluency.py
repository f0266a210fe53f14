"""Which damage reads as fluently as a rewording of the same memory, measured before the first trial."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from loadbearing.analysis.verdicts.facts import Place
from loadbearing.ledger.rows import CheckRow
from loadbearing.outcomes.reserved_names import PLACEBO

AS_INTACT = 0.05
"""Bits a word: text whose surprisal grows by no more reads as the intact text does."""


def fluency_distances(checks: Iterable[CheckRow]) -> dict[Place, float]:
    """By backbone, arm and condition, the mean fluency distance of the damaged slots, in bits a word."""
    found: dict[Place, list[float]] = defaultdict(list)
    for row in checks:
        distance = row.measured.get("fluency_distance")
        if row.applicable and isinstance(distance, int | float):
            found[row.backbone, row.arm, row.condition].append(float(distance))
    return {place: fmean(values) for place, values in found.items()}


def fluent_places(checks: Iterable[CheckRow]) -> frozenset[Place]:
    """The places whose distance is no larger than the paraphrase's in the same arm (STATISTICS 0d.1).

    Where none was played, as on raw trajectories, damage is fluent that reads as the intact text does.
    """
    distances = fluency_distances(checks)
    return frozenset(
        place
        for place, distance in distances.items()
        if place[2] != PLACEBO and distance <= distances.get((*place[:2], PLACEBO), AS_INTACT)
    )
